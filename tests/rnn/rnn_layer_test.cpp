// rnn_layer: the kernel against the composition of ops in double precision, and its special cases.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/call.h"
#include "support/error_text.h"
#include "taper/autograd/saved_tensors.h"
#include "taper/ops/rnn.h"
#include "taper/taper.h"

namespace {

using namespace taper;
using test::error_message;

/// A layer with random inputs. Absent tensors are undefined.
struct Case {
  std::string mode = "LSTM";
  std::int64_t inputs = 5, hidden = 7;
  Shape batch_sizes{4, 4, 4, 4, 4};
  bool reverse = false, bias = true, states = true;

  std::int64_t gates() const { return mode == "LSTM" ? 4 : mode == "GRU" ? 3 : 1; }
  std::int64_t rows() const {
    std::int64_t sum = 0;
    for (const std::int64_t n : batch_sizes) sum += n;
    return sum;
  }
  std::string str() const {
    return mode + " " + std::to_string(inputs) + "-" + std::to_string(hidden) + " " +
           batch_sizes.str() + (reverse ? " reverse" : "") + (bias ? " bias" : "") +
           (states ? " states" : "");
  }
  /// Returns input, weight_ih, weight_hh, bias_ih, bias_hh, hx and cx.
  std::vector<Tensor> draw() const {
    manual_seed(17);
    const std::int64_t rows_of_weights = gates() * hidden, batch = batch_sizes[0];
    const auto some = [](bool given, const Shape& shape, double bound) {
      return given ? empty(shape).uniform_(-bound, bound) : Tensor();
    };
    const double bound = 1 / std::sqrt(static_cast<double>(hidden));
    return {some(true, {rows(), inputs}, 1),
            some(true, {rows_of_weights, inputs}, bound),
            some(true, {rows_of_weights, hidden}, bound),
            some(bias, {rows_of_weights}, bound),
            some(bias, {rows_of_weights}, bound),
            some(states, {batch, hidden}, 1),
            some(states && mode == "LSTM", {batch, hidden}, 1)};
  }
  RNNLayerOutput run(const std::vector<Tensor>& t) const {
    return rnn_layer(t[0], {t[1], t[2], t[3], t[4]}, t[5], t[6], mode, batch_sizes, reverse);
  }
};

std::vector<Tensor> leaves(const std::vector<Tensor>& from, DType dtype) {
  std::vector<Tensor> all;
  for (const Tensor& t : from)
    all.push_back(t.defined() ? t.detach().to(dtype).clone().requires_grad_() : t);
  return all;
}

std::vector<Tensor> given(const std::vector<Tensor>& all) {
  std::vector<Tensor> some;
  for (const Tensor& t : all)
    if (t.defined()) some.push_back(t);
  return some;
}

/// Returns a function of all outputs that weights each element differently.
Tensor loss_of(const RNNLayerOutput& y) {
  const auto weighted = [](const Tensor& t) {
    return (t * t.detach().sin() + t.square() * 0.5).sum();
  };
  const Tensor loss = weighted(y.output) + weighted(y.hy) * 2;
  return y.cy.defined() ? loss + weighted(y.cy) * 3 : loss;
}

/// Sums of float32 over up to a few hundred terms differ from exact sums by less than this fraction
/// of the largest element.
constexpr double kTolerance = 2e-5;

void expect_close(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].defined(), expected[i].defined()) << i;
    if (!got[i].defined()) continue;
    ASSERT_EQ(got[i].shape(), expected[i].shape());
    if (got[i].numel() == 0) continue;
    const double scale = expected[i].abs().max().item<double>();
    const double error = (got[i].to(float64) - expected[i]).abs().max().item<double>();
    EXPECT_LE(error, kTolerance * std::max(scale, 1e-3)) << "tensor " << i;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* mode : {"LSTM", "GRU", "RNN_TANH", "RNN_RELU"}) {
    for (const bool reverse : {false, true}) {
      all.push_back({.mode = mode, .reverse = reverse});
      all.push_back({.mode = mode, .batch_sizes = {5, 5, 3, 2, 2, 1}, .reverse = reverse});
      all.push_back({.mode = mode,
                     .inputs = 9,
                     .hidden = 70,
                     .batch_sizes = {33, 31, 31, 8, 2},
                     .reverse = reverse,
                     .bias = false});
      all.push_back(
          {.mode = mode, .hidden = 32, .batch_sizes = Shape::filled(12, 1), .reverse = reverse});
    }
    all.push_back({.mode = mode, .batch_sizes = {3, 3}, .states = false});
    all.push_back({.mode = mode, .batch_sizes = {6}, .bias = false, .states = false});
    all.push_back({.mode = mode, .inputs = 3, .hidden = 33, .batch_sizes = {19}});
    all.push_back({.mode = mode, .hidden = 80, .batch_sizes = Shape::filled(6, 40)});
    all.push_back({.mode = mode, .batch_sizes = {2, 2, 1, 0, 0}});
    all.push_back({.mode = mode, .batch_sizes = {0, 0, 0, 0}});
  }
  return all;
}

class RnnLayer : public testing::TestWithParam<Case> {};

TEST_P(RnnLayer, MatchesCompositionInDouble) {
  const Case& c = GetParam();
  const std::vector<Tensor> drawn = c.draw();
  const std::vector<Tensor> in = leaves(drawn, float32), exact = leaves(drawn, float64);
  const RNNLayerOutput y = c.run(in), expected = c.run(exact);
  EXPECT_TRUE(y.output.requires_grad());
  expect_close({y.output, y.hy, y.cy}, {expected.output, expected.hy, expected.cy});
  expect_close(autograd::grad(std::vector{loss_of(y)}, given(in)),
               autograd::grad(std::vector{loss_of(expected)}, given(exact)));
  const NoGrad guard;
  const RNNLayerOutput inference = c.run(in);
  EXPECT_TRUE(equal(inference.output, y.output) && equal(inference.hy, y.hy));
}

TEST_P(RnnLayer, IsDifferentiableTwice) {
  const Case& c = GetParam();
  if (c.rows() > 60 || c.mode == "RNN_RELU") GTEST_SKIP() << "covered by smaller layers";
  const std::vector<Tensor> drawn = c.draw();
  const auto second = [&](DType dtype) {
    const std::vector<Tensor> in = leaves(drawn, dtype), wanted = given(in);
    const std::vector<Tensor> first =
        autograd::grad(std::vector{loss_of(c.run(in))}, wanted, {.create_graph = true});
    Tensor penalty = zeros({}, {.dtype = dtype});
    for (const Tensor& g : first) penalty = penalty + g.square().sum();
    return autograd::grad(std::vector{penalty}, wanted);
  };
  expect_close(second(float32), second(float64));
}

TEST_P(RnnLayer, DoesNotDependOnTheNumberOfThreads) {
  const Case& c = GetParam();
  const std::vector<Tensor> drawn = c.draw();
  const int before = get_num_threads();
  std::vector<Tensor> expected;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    const std::vector<Tensor> in = leaves(drawn, float32);
    const RNNLayerOutput y = c.run(in);
    std::vector<Tensor> got = autograd::grad(std::vector{loss_of(y)}, given(in));
    got.push_back(y.output.detach());
    if (expected.empty()) expected = got;
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(equal(got[i], expected[i])) << i << " with " << threads << " threads";
  }
  set_num_threads(before);
}

INSTANTIATE_TEST_SUITE_P(Cases, RnnLayer, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& info) {
                           std::string name = info.param.str() + " " + std::to_string(info.index);
                           for (char& ch : name)
                             if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
                           return name;
                         });

// The largest layers are divided among threads by rows and by hidden units.
TEST(RnnLayerThreads, DivideLargeLayersWithoutEffect) {
  const int before = get_num_threads();
  for (const Case& c : {Case{.inputs = 20, .hidden = 144, .batch_sizes = Shape::filled(4, 37)},
                        Case{.mode = "GRU", .hidden = 272, .batch_sizes = Shape::filled(4, 5)},
                        Case{.mode = "RNN_TANH", .hidden = 300, .batch_sizes = {9, 8, 8, 7}}}) {
    std::vector<Tensor> expected;
    for (const int threads : {1, 2, 4}) {
      set_num_threads(threads);
      const std::vector<Tensor> in = leaves(c.draw(), float32);
      const std::vector<Tensor> got = autograd::grad(std::vector{loss_of(c.run(in))}, given(in));
      if (expected.empty()) expected = got;
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(equal(got[i], expected[i])) << c.str() << " " << i;
    }
  }
  set_num_threads(before);
}

TEST(RnnLayerGradient, SavesNothingWithoutGradients) {
  const Case c;
  std::vector<Tensor> in = c.draw();
  int saved = 0;
  const autograd::SavedTensorsHooks hooks([&](const Tensor&) { return saved++; },
                                          [](int) -> Tensor { return {}; });
  EXPECT_FALSE(c.run(in).output.requires_grad());
  in[1].requires_grad_();
  {
    const NoGrad guard;
    EXPECT_FALSE(c.run(in).output.requires_grad());
  }
  EXPECT_EQ(saved, 0);
  EXPECT_TRUE(c.run(in).output.requires_grad());
  EXPECT_GT(saved, 0);
}

TEST(RnnLayerGradient, AllowsModifyingTheOutput) {
  for (const char* mode : {"LSTM", "GRU", "RNN_TANH"}) {
    const Case c{.mode = mode};
    const std::vector<Tensor> drawn = c.draw();
    const std::vector<Tensor> in = leaves(drawn, float32), exact = leaves(drawn, float64);
    const auto run = [&](const std::vector<Tensor>& t) {
      const Tensor y = c.run(t).output;
      y.mul_(2);
      return autograd::grad(std::vector{y.square().sum()}, given(t), {.allow_unused = true});
    };
    expect_close(run(in), run(exact));
  }
}

TEST(RnnLayerGradient, ReachesOnlyRequestedInputs) {
  const Case c;
  std::vector<Tensor> in = c.draw();
  in[5].requires_grad_();  // hx
  const RNNLayerOutput y = c.run(in);
  y.hy.sum().backward();
  EXPECT_TRUE(in[5].grad().defined());
  EXPECT_FALSE(in[0].grad().defined() || in[1].grad().defined() || in[2].grad().defined());
}

// The same tensor as several inputs receives the sum of their gradients.
TEST(RnnLayerGradient, AddsUpSharedInputs) {
  const Case c{.mode = "RNN_TANH", .inputs = 7, .states = false};
  const std::vector<Tensor> drawn = c.draw();
  const auto gradient = [&](DType dtype, bool twice) {
    const Tensor w = drawn[1].to(dtype).requires_grad_();
    std::vector<Tensor> in = leaves(drawn, dtype);
    in[1] = w, in[2] = w;
    Tensor g = autograd::grad(loss_of(c.run(in)), w, {.create_graph = twice});
    return twice ? autograd::grad(g.square().sum(), w) : g;
  };
  for (const bool twice : {false, true})
    expect_close({gradient(float32, twice)}, {gradient(float64, twice)});
}

TEST(RnnLayerErrors, RejectInvalidArguments) {
  const Case c;
  const std::vector<Tensor> in = c.draw();
  const auto with = [&](Case changed) { return [=] { (void)changed.run(in); }; };
  EXPECT_EQ(error_message<ValueError>(with({.mode = "lstm"})),
            "rnn_layer: unknown mode 'lstm': expected 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'");
  for (const Shape& sizes : {Shape{}, Shape{20, 1}, Shape{4, 16}, Shape{21, -1}, Shape{10, 9},
                             Shape{std::int64_t{1} << 62, std::int64_t{1} << 62}})
    EXPECT_THROW(with({.batch_sizes = sizes})(), ValueError) << sizes;
  EXPECT_THROW(with({.mode = "GRU"})(), ShapeError) << "weights of an LSTM";
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::vector<Tensor> changed = in;
    changed[i] = in[i].unsqueeze(-1);
    EXPECT_THROW((void)c.run(changed), ShapeError) << i;
    changed[i] = in[i].slice(0, 1, in[i].size(0));
    EXPECT_THROW((void)c.run(changed), Error) << i;
  }
}

TEST(RnnLayerErrors, RejectInvalidGradientsByName) {
  const Case c;
  const std::vector<Tensor> t = c.draw();
  const auto backward = [&](const Tensor& workspace, const Tensor& grad) {
    return [=] {
      const Value arguments = Value::dict({{"input", t[0]},
                                           {"weight_ih", t[1]},
                                           {"weight_hh", t[2]},
                                           {"workspace", workspace},
                                           {"grad_output", grad},
                                           {"batch_sizes", Value(c.batch_sizes)}});
      (void)call("rnn_layer_backward", arguments.as_dict());
    };
  };
  EXPECT_NO_THROW(backward(zeros({20, 42}), zeros({20, 7}))());
  EXPECT_THROW(backward(zeros({20, 41}), zeros({20, 7}))(), ShapeError);
  EXPECT_THROW(backward(zeros({20, 42}), zeros({20, 8}))(), ShapeError);
  EXPECT_THROW(backward(zeros({20, 42}, {.dtype = float64}), zeros({20, 7}))(), DTypeError);
}

}  // namespace
