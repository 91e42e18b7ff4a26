// First and second gradients along random directions, against central differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ops/launch.h"
#include "ops/op_cases.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/saved_tensors.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"

namespace taper::optest {
namespace {

class Gradient : public testing::TestWithParam<OpCase> {};
class GradientInPlace : public testing::TestWithParam<OpCase> {};

double inner_product(const Tensor& a, const Tensor& b) {
  NoGrad guard;
  return (a.detach() * b.detach()).sum().item<double>();
}

enum class Form { any, in_place };

/// An op as a function of its floating-point inputs and of weights for its floating-point outputs.
/// With Form::any, the in-place form replaces an op that does not return a floating-point tensor.
struct Problem {
  const OpCase& c;
  bool in_place = false;
  std::vector<Tensor> ins;          // all inputs
  std::vector<std::size_t> moving;  // indices of the differentiated inputs
  std::vector<Tensor> weights;      // one per output; undefined for integer outputs

  explicit Problem(const OpCase& test, Form form = Form::any)
      : c(test), ins(draw(test.sample, DType::f64, 11)) {
    for (std::size_t i = 0; i < ins.size(); ++i)
      if (is_floating(ins[i]) && !c.sample.ins[i].constant) moving.push_back(i);
    NoGrad guard;
    std::vector<Tensor> ys = outputs(ins);
    const bool wanted = form == Form::in_place || std::none_of(ys.begin(), ys.end(), is_floating);
    if (wanted && c.op->info.inplace && is_floating(ins[0]) && ys[0].shape() == ins[0].shape()) {
      in_place = true;
      ys = outputs(ins);
    }
    unsigned seed = 100;
    for (const Tensor& y : ys) weights.push_back(is_floating(y) ? like(y, seed++) : Tensor());
  }
  static bool is_floating(const Tensor& t) { return t.defined() && t.is_floating_point(); }
  static Tensor like(const Tensor& y, unsigned seed) {
    SampleInput r;
    r.ins.emplace_back(y.shape());
    return draw(r, DType::f64, seed)[0];
  }
  std::vector<Tensor> outputs(const std::vector<Tensor>& at) const {
    manual_seed(5);
    if (!in_place) return call(c, at);
    const Tensor self = at[0].clone();
    std::vector<OpInput> in(at.begin(), at.end());
    in[0] = OpInput(self);
    Tensor out;
    dispatch(*c.op, c.sample.attributes.get(), in, &out, &self);
    return {out};
  }
  /// Returns copies of the variables: the differentiated inputs, followed by the weights. If
  /// `along` is not empty, adds `step` times its tensors. If `grad` is true, the copies require
  /// grad.
  std::vector<Tensor> point(const std::vector<Tensor>& along, double step, bool grad) const {
    std::vector<Tensor> v;
    std::size_t d = 0;
    const auto move = [&](const Tensor& t) {
      NoGrad guard;
      Tensor m = along.empty() ? t.clone() : t + along[d] * step;
      ++d;
      m.requires_grad_(grad);
      v.push_back(std::move(m));
    };
    for (std::size_t i : moving) move(ins[i]);
    for (const Tensor& w : weights)
      if (w.defined()) move(w);
    return v;
  }
  Tensor value(const std::vector<Tensor>& v) const {
    std::vector<Tensor> at = ins;
    for (std::size_t i = 0; i < moving.size(); ++i) at[moving[i]] = v[i];
    const std::vector<Tensor> ys = outputs(at);
    Tensor total;
    std::size_t w = moving.size();
    for (std::size_t i = 0; i < ys.size(); ++i) {
      if (!weights[i].defined()) continue;
      const Tensor part = (ys[i] * v[w++]).sum();
      total = total.defined() ? total + part : part;
    }
    return total;
  }
  std::vector<Tensor> direction(unsigned seed) const {
    std::vector<Tensor> d;
    for (std::size_t i : moving) d.push_back(like(ins[i], seed++));
    for (const Tensor& w : weights)
      if (w.defined()) d.push_back(like(w, seed++));
    return d;
  }
  /// Returns the reason why the gradients cannot be compared with differences, or an empty string.
  std::string reason_to_skip() const {
    if (!c.sample.check_gradient)
      return "the sample has steps or ties, which differences do not resolve";
    if (moving.empty()) return "no input of the sample is a floating-point tensor";
    if (std::none_of(weights.begin(), weights.end(), is_floating))
      return "the op returns no floating-point tensor and does not fit in place";
    return {};
  }
};

std::vector<OpCase> cases_with_gradient() {
  std::vector<OpCase> cases;
  for (const OpCase& c : all_cases())
    if (c.op->backward) cases.push_back(c);
  return cases;
}
std::vector<OpCase> cases_in_place() {
  std::vector<OpCase> cases = cases_with_gradient();
  std::erase_if(cases, [](const OpCase& c) { return !c.op->info.inplace; });
  return cases;
}

constexpr double kStep = 1e-5;
void expect_close(double analytic, double numeric, const OpCase& c, const char* what) {
  EXPECT_NEAR(analytic, numeric, 2e-6 * (1 + std::abs(numeric)))
      << what << " of " << c.name() << " " << print_op(*c.op, c.sample.attributes.get());
}

void check_first(const Problem& p, const char* what) {
  const std::vector<Tensor> d = p.direction(200);
  const std::vector<Tensor> v = p.point({}, 0, true);
  const std::vector<Tensor> g =
      autograd::grad(std::vector<Tensor>{p.value(v)}, v, {.allow_unused = true});
  double analytic = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (g[i].defined()) {
      EXPECT_EQ(g[i].shape(), v[i].shape());
      analytic += inner_product(g[i], d[i]);
    }
  NoGrad guard;
  const double numeric = (p.value(p.point(d, kStep, false)).item<double>() -
                          p.value(p.point(d, -kStep, false)).item<double>()) /
                         (2 * kStep);
  expect_close(analytic, numeric, p.c, what);
}

TEST_P(Gradient, FirstMatchesCentralDifferences) {
  const Problem p(GetParam());
  if (const std::string reason = p.reason_to_skip(); !reason.empty()) GTEST_SKIP() << reason;
  check_first(p, "gradient");
  ReferenceOnly only;
  check_first(p, "gradient by reference kernels");
}

TEST_P(GradientInPlace, FirstMatchesCentralDifferences) {
  const Problem p(GetParam(), Form::in_place);
  if (const std::string reason = p.reason_to_skip(); !reason.empty()) GTEST_SKIP() << reason;
  if (!p.in_place) GTEST_SKIP() << "the result does not fit into the first input";
  check_first(p, "gradient of the in-place form");
}

TEST_P(Gradient, SecondMatchesCentralDifferences) {
  const Problem p(GetParam());
  if (const std::string reason = p.reason_to_skip(); !reason.empty()) GTEST_SKIP() << reason;
  const std::vector<Tensor> d = p.direction(300), e = p.direction(400);
  const auto slope = [&](const std::vector<Tensor>& v, bool create) {
    const auto g = autograd::grad(std::vector<Tensor>{p.value(v)}, v,
                                  {.create_graph = create, .allow_unused = true});
    Tensor total;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (!g[i].defined()) continue;
      const Tensor part = (g[i] * d[i]).sum();
      total = total.defined() ? total + part : part;
    }
    return total;
  };
  const std::vector<Tensor> v = p.point({}, 0, true);
  const Tensor s = slope(v, true);
  ASSERT_TRUE(s.requires_grad());
  const auto h = autograd::grad(std::vector<Tensor>{s}, v, {.allow_unused = true});
  double analytic = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (h[i].defined()) analytic += inner_product(h[i], e[i]);
  const double numeric = (slope(p.point(e, kStep, true), false).item<double>() -
                          slope(p.point(e, -kStep, true), false).item<double>()) /
                         (2 * kStep);
  expect_close(analytic, numeric, p.c, "second gradient");
}

TEST(GradientSamples, CoverEveryOp) {
  std::map<const OpDescriptor*, std::size_t> compared;
  for (const OpCase& c : cases_with_gradient())
    compared[c.op] += Problem(c).reason_to_skip().empty();
  // Derivatives at a constant quantile, not of the drawn number: tests/random compares them.
  const std::set<std::string_view> implicit = {"_sample_dirichlet", "_standard_gamma"};
  for (const auto& [op, count] : compared)
    EXPECT_GT(count + implicit.count(op->info.name), 0u)
        << "no sample of " << op->info.name << " is compared with differences";
}

/// Runs an op, whose differentiated inputs require grad, and its gradient rule. Returns the
/// number of tensors that are saved for the rule and the number of those that the rule reads.
std::pair<int, int> saved_and_read(const Problem& p) {
  std::vector<Tensor> at;
  for (std::size_t i = 0; i < p.ins.size(); ++i) {
    const bool moves = std::find(p.moving.begin(), p.moving.end(), i) != p.moving.end();
    at.push_back(moves ? p.ins[i].detach().requires_grad_(true) : p.ins[i]);
    if (moves && p.in_place && at.size() == 1)
      at[0] = at[0] * 1;  // a leaf cannot be modified in place
  }
  int saved = 0, read = 0;
  std::vector<Tensor> ys;
  {
    const autograd::SavedTensorsHooks hooks(
        [&](const Tensor& t) { return std::pair(saved++, t); },
        [seen = std::set<int>(), &read](const std::pair<int, Tensor>& packed) mutable {
          read += seen.insert(packed.first).second;
          return packed.second;
        });
    ys = p.outputs(at);
  }
  std::vector<Tensor> roots, inputs;
  for (const Tensor& y : ys)
    if (y.defined() && y.requires_grad()) roots.push_back(y);
  for (const Tensor& t : at)
    if (t.defined() && t.requires_grad()) inputs.push_back(t);
  if (roots.empty()) return {0, 0};
  std::vector<Tensor> grads;
  for (const Tensor& y : roots) grads.push_back(Problem::like(y, 17));
  (void)autograd::grad(roots, inputs, {.grad_outputs = grads, .allow_unused = true});
  return {saved, read};
}

/// A saved tensor that no rule reads wastes memory, which no other test detects.
TEST(GradientSamples, ReadAllSavedTensors) {
  std::map<const OpDescriptor*, std::pair<int, int>> max;  // of the sample that saves the most
  for (const OpCase& c : cases_with_gradient())
    max[c.op] = std::max(max[c.op], saved_and_read(Problem(c)));
  for (const auto& [op, counts] : max) {
    EXPECT_EQ(counts.second, counts.first) << op->info.name << " saves tensors that it never reads";
    EXPECT_EQ(counts.first > 0, op->info.saved != 0) << op->info.name;
  }
}

std::string gradient_case(const testing::TestParamInfo<OpCase>& info) {
  return info.param.test_name();
}
INSTANTIATE_TEST_SUITE_P(Ops, Gradient, testing::ValuesIn(cases_with_gradient()), gradient_case);
INSTANTIATE_TEST_SUITE_P(Ops, GradientInPlace, testing::ValuesIn(cases_in_place()), gradient_case);

}  // namespace
}  // namespace taper::optest
