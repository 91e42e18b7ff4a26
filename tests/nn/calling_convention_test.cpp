// Functions of nn::functional and constructors of layers: options in braces and arguments by
// position are the same call.
#include "nets.h"
#include "taper/nn/functional.h"
#include "taper/nn/nn.h"
#include "taper/ops/dropout.h"
#include "taper/ops/embedding.h"
#include "taper/ops/grid_sampler.h"
#include "taper/ops/norm.h"

namespace {

using namespace nets;
using test::error_text;

Tensor line() { return tensor({{-2., -0.5, 0., 1., 30.}, {3., -4., 0.25, 8., -1.}}); }

TEST(CallingConvention, ActivationsAcceptBothForms) {
  const Tensor x = line();
  EXPECT_TRUE(equal(F::leaky_relu(x, {.negative_slope = 0.5}), F::leaky_relu(x, 0.5)));
  EXPECT_TRUE(equal(F::leaky_relu(x, {}), F::leaky_relu(x, 0.01)));
  EXPECT_TRUE(equal(F::hardtanh(x, {.min_val = -3, .max_val = 2}), x.clamp(-3, 2)));
  EXPECT_TRUE(equal(F::hardtanh(x, -3, 2), x.clamp(-3, 2)));
  EXPECT_TRUE(equal(F::elu(x, {.alpha = 2}), F::elu(x, 2)));
  EXPECT_TRUE(equal(F::celu(x, {.alpha = 2}), celu(x, 2)));
  EXPECT_TRUE(equal(F::hardshrink(x, {.lambd = 2}), F::hardshrink(x, 2)));
  EXPECT_TRUE(equal(F::hardshrink(x, 2), x.hardshrink(2)));
  EXPECT_TRUE(equal(F::softshrink(x, {.lambd = 2}), F::softshrink(x, 2)));
  EXPECT_TRUE(equal(F::softplus(x, {.beta = 2, .threshold = 3}), F::softplus(x, 2, 3)));
  EXPECT_TRUE(equal(F::glu(x, {.dim = 0}), F::glu(x, 0)));
  EXPECT_TRUE(equal(F::rrelu(x, {.lower = 0.25, .upper = 0.75}), F::rrelu(x, 0.25, 0.75)));
  EXPECT_TRUE(equal(F::threshold(x, 0, 5), x.masked_fill(x <= 0, 5)));
}

TEST(CallingConvention, InPlaceActivationsAcceptBothForms) {
  const auto expect_in_place = [](const Tensor& expected, auto... functions) {
    const auto check = [&](auto function) {
      const Tensor x = line();
      EXPECT_TRUE(function(x).is_same(x));
      EXPECT_TRUE(equal(x, expected));
    };
    (check(functions), ...);
  };
  using T = const Tensor&;
  expect_in_place(
      F::leaky_relu(line(), 0.5), [](T x) { return F::leaky_relu_(x, 0.5); },
      [](T x) { return F::leaky_relu_(x, {.negative_slope = 0.5}); },
      [](T x) { return F::leaky_relu(x, 0.5, {.inplace = true}); });
  expect_in_place(
      F::elu(line(), 2), [](T x) { return F::elu_(x, 2); },
      [](T x) { return F::elu_(x, {.alpha = 2}); },
      [](T x) { return F::elu(x, {.alpha = 2, .inplace = true}); });
  expect_in_place(
      celu(line(), 2), [](T x) { return celu_(x, 2); },
      [](T x) { return F::celu_(x, {.alpha = 2}); },
      [](T x) { return F::celu(x, 2, {.inplace = true}); });
  expect_in_place(
      F::hardtanh(line(), 0, 6), [](T x) { return F::hardtanh_(x, 0, 6); },
      [](T x) { return F::hardtanh_(x, {.min_val = 0, .max_val = 6}); },
      [](T x) { return F::hardtanh(x, 0, 6, {.inplace = true}); },
      [](T x) { return F::relu6(x, {.inplace = true}); });
  expect_in_place(
      F::rrelu(line(), 0.25, 0.75), [](T x) { return rrelu_(x, 0.25, 0.75); },
      [](T x) { return F::rrelu_(x, {.lower = 0.25, .upper = 0.75}); });
}

TEST(CallingConvention, SoftmaxAcceptsBothForms) {
  const Tensor x = line();
  const Tensor expected = softmax(x, 1, float64);
  EXPECT_TRUE(equal(F::softmax(x, 1, {.dtype = float64}), expected));
  EXPECT_TRUE(equal(F::softmax(x, {.dim = 1, .dtype = float64}), expected));
  EXPECT_TRUE(equal(F::log_softmax(x, {.dim = 0}), F::log_softmax(x, 0)));
  EXPECT_TRUE(equal(F::softmin(x, {.dim = 0}), F::softmin(x, 0)));
}

TEST(CallingConvention, DropoutAcceptsBothForms) {
  const auto draw = [](auto function) {
    manual_seed(3);
    return function(ones({40}));
  };
  using T = const Tensor&;
  const Tensor expected = draw([](T x) { return dropout(x, 0.3, true); });
  EXPECT_TRUE(equal(draw([](T x) { return F::dropout(x, 0.3); }), expected));
  EXPECT_TRUE(equal(draw([](T x) { return F::dropout(x, {.p = 0.3}); }), expected));
  EXPECT_TRUE(equal(draw(nn::Dropout(0.3)), expected));
  EXPECT_TRUE(equal(draw(nn::Dropout({.p = 0.3})), expected));
  EXPECT_TRUE(F::dropout(expected, 0.3, {.training = false}).is_same(expected));
}

TEST(CallingConvention, NormalizationsAcceptTensorsOfEveryKind) {
  const Tensor x = line(), w = tensor({1., 2., 3., 4., 5.}), b = w * 2;
  const std::optional<nn::Parameter> parameter = nn::Parameter(w), none;
  const Tensor expected = layer_norm(x, {5}, w, b, 1e-3, false);
  EXPECT_TRUE(equal(F::layer_norm(x, {5}, {.weight = w, .bias = b, .eps = 1e-3}), expected));
  EXPECT_TRUE(
      equal(F::layer_norm(x, {5}, {.weight = parameter, .bias = b, .eps = 1e-3}), expected));
  const Tensor plain = layer_norm(x, {5});
  EXPECT_TRUE(equal(F::layer_norm(x, {5}, {.weight = none, .bias = {}}), plain));
  EXPECT_TRUE(equal(F::layer_norm(x, {5}, {.weight = Tensor(), .bias = std::nullopt}), plain));
  EXPECT_TRUE(equal(F::rms_norm(x, {5}, {.weight = w}), rms_norm(x, {5}, w)));
  EXPECT_TRUE(equal(F::group_norm(x, 5, {.weight = w}), group_norm(x, 5, w)));
  EXPECT_TRUE(equal(F::batch_norm(x, w, b, {.weight = b, .bias = w, .eps = 0.5}),
                    batch_norm(x, b, w, w, b, false, 0.1, 0.5, true)));
  const Tensor images = x.view({1, 2, 5});
  EXPECT_TRUE(equal(F::instance_norm(images, {.eps = 0.5}),
                    instance_norm(images, {}, {}, {}, {}, true, 0.1, 0.5, true)));
}

TEST(CallingConvention, NormalizeAcceptsBothForms) {
  const Tensor x = line();
  EXPECT_TRUE(equal(F::normalize(x, {.p = 1, .dim = 0}), F::normalize(x, 1, 0)));
  EXPECT_TRUE(equal(F::normalize(x, {.dim = {0, 1}}), x / x.norm()));
  EXPECT_TRUE(equal(F::normalize(x, 2, Dims{0, 1}), x / x.norm()));
}

TEST(CallingConvention, LinearAcceptsBothForms) {
  const Tensor x = line(), w = ones({3, 5}), b = tensor({1., 2., 3.});
  EXPECT_TRUE(equal(F::linear(x, w, {.bias = b}), F::linear(x, w, b)));
  EXPECT_TRUE(equal(F::linear(x, w, Tensor()), F::linear(x, w)));
  EXPECT_TRUE(equal(F::linear(x, w, std::optional(nn::Parameter(b))), F::linear(x, w, b)));
}

TEST(CallingConvention, EmbeddingBagAcceptsBothForms) {
  const Tensor w = arange(12, {.dtype = float32}).view({4, 3}), i = tensor({0, 3, 1, 2});
  const Tensor offsets = tensor({0, 3}), factors = tensor({1., 2., 3., 4.});
  const Tensor expected =
      F::embedding_bag(i, w, {.offsets = offsets, .mode = "sum", .per_sample_weights = factors});
  EXPECT_TRUE(equal(F::embedding_bag(i, w, offsets, {.mode = "sum", .per_sample_weights = factors}),
                    expected));
  EXPECT_TRUE(equal(std::get<0>(embedding_bag(w, i, offsets, false, 0, false, factors)), expected));
  EXPECT_TRUE(equal(F::one_hot(i, {.num_classes = 5}), F::one_hot(i, 5)));
}

TEST(EmbeddingBagCall, AcceptsOptionsAndPositions) {
  nn::EmbeddingBag bag(4, 3, {.mode = "sum"});
  const Tensor i = tensor({0, 3, 1, 2}), offsets = tensor({0, 3}),
               factors = tensor({1., 2., 3., 4.});
  const Tensor expected = F::embedding_bag(
      i, bag.weight, {.offsets = offsets, .mode = "sum", .per_sample_weights = factors});
  EXPECT_TRUE(equal(bag(i, {.offsets = offsets, .per_sample_weights = factors}), expected));
  EXPECT_TRUE(equal(bag.call({i, offsets, factors}).as_tensor(), expected));
  const Value named = Value::dict({{"offsets", offsets}, {"per_sample_weights", factors}});
  EXPECT_TRUE(equal(bag.call({i}, named).as_tensor(), expected));
  EXPECT_THROW(bag.call({i, offsets, factors, i}), TypeError);
  bool seen = false;
  bag.register_forward_pre_hook([&](nn::Module&, const Values& args) {
    seen = args.size() == 2 && args[1].as_dict().at("offsets").as_tensor().is_same(offsets);
  });
  EXPECT_TRUE(equal(bag(i, {.offsets = offsets, .per_sample_weights = factors}), expected));
  EXPECT_TRUE(seen);
}

TEST(EmbeddingBag, PaddingIndexCountsFromTheEnd) {
  const Tensor w = arange(12, {.dtype = float32}).view({4, 3}), i = tensor({0, 3}), o = tensor({0});
  EXPECT_TRUE(equal(std::get<0>(embedding_bag(w, i, o, false, 0, false, {}, false, -1)),
                    w.narrow(0, 0, 1)));
  EXPECT_TRUE(equal(std::get<0>(embedding_bag(w, i, o)), w.index_select(0, i).sum({0}, true)));
  EXPECT_EQ(error_text<ValueError>(
                [&] { std::get<0>(embedding_bag(w, i, o, false, 0, false, {}, false, -5)); }),
            "embedding_bag: padding_idx must be within the number of embeddings 4, got -5");
  EXPECT_EQ(error_text<NotImplementedError>([&] { embedding(w, i, -1, false, true); }),
            "embedding: sparse gradients are not supported");
}

TEST(GridSampler, AcceptsModesAsIntegers) {
  const Tensor x = randn({1, 1, 4, 4}), grid = rand({1, 3, 3, 2}) * 3 - 1.5;
  const char* const modes[] = {"bilinear", "nearest", "bicubic"};
  const char* const paddings[] = {"zeros", "border", "reflection"};
  for (int m = 0; m < 3; ++m)
    for (int p = 0; p < 3; ++p)
      EXPECT_TRUE(equal(
          grid_sampler(x, grid, m, p, false),
          F::grid_sample(x, grid,
                         {.mode = modes[m], .padding_mode = paddings[p], .align_corners = false})));
  EXPECT_EQ(error_text<ValueError>([&] { grid_sampler(x, grid, 3, 0, false); }),
            "grid_sampler: interpolation_mode must be 0, 1 or 2, got 3");
}

TEST(MultiHeadAttentionForward, RequiresOutputWeight) {
  const Tensor x = randn({2, 1, 4});
  EXPECT_EQ(
      error_text<ValueError>([&] {
        static_cast<void>(F::multi_head_attention_forward(
            x, x, x, {.embed_dim_to_check = 4, .num_heads = 2, .in_proj_weight = randn({12, 4})}));
      }),
      "multi_head_attention_forward: out_proj_weight is required");
}

TEST(LayerOptions, NameArgumentsGivenByPosition) {
  EXPECT_EQ(nn::LeakyReLU({.negative_slope = 0.1}).str(), nn::LeakyReLU(0.1).str());
  EXPECT_EQ(nn::LeakyReLU(0.1, {.inplace = true}).str(),
            "LeakyReLU(negative_slope=0.1, inplace=True)");
  EXPECT_EQ(nn::Dropout({.p = 1}).str(), "Dropout(p=1, inplace=False)");
  EXPECT_EQ(nn::Dropout2d(0.1, {.inplace = true}).str(), "Dropout2d(p=0.1, inplace=True)");
  EXPECT_EQ(nn::Softmax({.dim = 1}).str(), nn::Softmax(1).str());
  EXPECT_EQ(nn::ELU({.alpha = 2}).str(), nn::ELU(2).str());
  EXPECT_EQ(nn::CELU(2, {.inplace = true}).str(), "CELU(alpha=2, inplace=True)");
  EXPECT_EQ(nn::Hardtanh({.min_val = 0, .max_val = 6}).str(), nn::Hardtanh(0, 6).str());
  EXPECT_EQ(nn::RReLU({.lower = 0.25, .upper = 0.75}).str(), nn::RReLU(0.25, 0.75).str());
  EXPECT_EQ(nn::Hardshrink({.lambd = 1}).str(), nn::Hardshrink(1).str());
  EXPECT_EQ(nn::Softshrink({.lambd = 1}).str(), nn::Softshrink(1).str());
  EXPECT_EQ(nn::Softplus({.beta = 2}).str(), nn::Softplus(2).str());
  EXPECT_EQ(nn::GLU({.dim = 1}).str(), nn::GLU(1).str());
  EXPECT_EQ(nn::PReLU({.num_parameters = 3}).str(), nn::PReLU(3).str());
  EXPECT_EQ(nn::PReLU(3, {.init = 0.5}).weight.sum().item<float>(), 1.5F);
}

}  // namespace
