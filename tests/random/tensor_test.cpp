// Random fills and factories of tensors. Their values are compared with PyTorch's in
// tests/oracle/training_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "core/tensor_impl.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/core/memory.h"
#include "taper/core/tensor.h"
#include "taper/ops/gamma.h"

namespace {

using namespace taper;
using test::contains, test::error_text;

/// As `error_text`; also expects that the default generator is unchanged.
template <class E, class F> std::string error_of(F&& call) {
  const auto before = get_rng_state();
  const std::string text = error_text<E>(call);
  EXPECT_EQ(get_rng_state(), before) << text;
  return text;
}

TEST(RandomTensor, EqualSeedsRepeatValues) {
  manual_seed(3);
  const Tensor a = randn({20});
  EXPECT_FALSE(equal(a, randn({20})));
  manual_seed(3);
  EXPECT_TRUE(equal(a, randn({20})));
}

TEST(RandomTensor, UsesGivenGenerator) {
  manual_seed(1);
  const auto before = get_rng_state();
  const Generator g(3);
  const Tensor x = rand({4}, {}, g);
  EXPECT_EQ(get_rng_state(), before);
  manual_seed(3);
  EXPECT_TRUE(equal(x, rand({4})));
}

TEST(RandomTensor, LikeCopiesShapeAndDType) {
  const Tensor like = zeros({2, 3}, {.dtype = float64});
  EXPECT_EQ(rand_like(like).dtype(), float64);
  EXPECT_EQ(randn_like(like).shape(), Shape({2, 3}));
  EXPECT_EQ(randn_like(like, {.dtype = float32}).dtype(), float32);
}

TEST(RandomTensor, FactoriesReturnLeaves) {
  const Tensor x = rand({3}, {.requires_grad = true});
  EXPECT_TRUE(x.requires_grad());
  EXPECT_TRUE(x.is_leaf());
  EXPECT_FALSE(randn({3}).requires_grad());
}

TEST(RandomTensor, RejectsFillOfLeafWhileRecording) {
  const Tensor x = zeros({20}, {.requires_grad = true});
  const std::string text = error_of<RuntimeError>([&] { x.uniform_(); });
  EXPECT_TRUE(
      contains(text, "a leaf Variable that requires grad is being used in an in-place operation"));
  EXPECT_TRUE(equal(x.detach(), zeros({20})));
  {
    const NoGrad guard;
    x.uniform_();
  }
  EXPECT_FALSE(equal(x.detach(), zeros({20})));
}

TEST(RandomTensor, FillCutsHistory) {
  const Tensor x = ones({3}, {.requires_grad = true});
  const Tensor y = x.mul(2);
  y.normal_();
  EXPECT_EQ(y.grad_fn().name(), "NormalBackward0");
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), zeros({3})));
}

TEST(RandomTensor, PhysicalLayoutDoesNotChangeValues) {
  const Shape shape{2, 5, 3, 4};
  memory::reset_reorders();
  const auto filled = [&](PhysicalLayout order, auto fill) {
    const Tensor t = new_tensor(shape, DType::f32, Device::cpu(), order);
    manual_seed(11);
    fill(t);
    EXPECT_EQ(is_channels_last(impl(t)), order == PhysicalLayout::channels_last);
    return t;
  };
  const auto same = [&](auto fill) {
    const Tensor plain = filled(PhysicalLayout::row_major, fill),
                 last = filled(PhysicalLayout::channels_last, fill);
    EXPECT_EQ(memory::reorders().activations, 0u);
    EXPECT_TRUE(equal(plain, last));
    memory::reset_reorders();
  };
  same([](const Tensor& t) { t.normal_(); });
  same([](const Tensor& t) { t.bernoulli_(0.3); });
  same([](const Tensor& t) { t.random_(0, 100); });
}

TEST(RandomTensor, FillsStridedTensorsInMemoryOrder) {
  manual_seed(5);
  const Tensor straight = rand({6, 4});
  manual_seed(5);
  const Tensor whole = zeros({6, 4});
  whole.t().uniform_();
  EXPECT_TRUE(equal(whole, straight));
  manual_seed(5);
  const Tensor wide = zeros({6, 8});
  wide.as_strided({6, 4}, {8, 2}, 1).uniform_();
  EXPECT_TRUE(equal(wide.as_strided({6, 4}, {8, 2}, 1), straight));
  EXPECT_TRUE(equal(wide.as_strided({6, 4}, {8, 2}, 0), zeros({6, 4})));
}

TEST(RandomTensor, MetaTensorsDrawNothing) {
  manual_seed(1);
  const auto before = get_rng_state();
  const TensorOptions meta{.device = Device::meta()};
  EXPECT_EQ(randn({3, 4}, meta).shape(), Shape({3, 4}));
  EXPECT_EQ(randperm(5, meta).shape(), Shape({5}));
  rand({4}, meta).bernoulli_().exponential_();
  EXPECT_EQ(multinomial(rand({2, 4}, meta), 3).shape(), Shape({2, 3}));
  EXPECT_EQ(get_rng_state(), before);
}

TEST(RandomTensor, EmptyTensorsDrawNothing) {
  manual_seed(1);
  const auto before = get_rng_state();
  EXPECT_EQ(randn({0, 4}).numel(), 0);
  EXPECT_EQ(randperm(0).numel(), 0);
  EXPECT_EQ(bernoulli(zeros({0})).numel(), 0);
  EXPECT_EQ(get_rng_state(), before);
}

TEST(RandomTensor, DrawsIntegersOfEveryWidth) {
  manual_seed(2);
  const Tensor all = empty({1000}, {.dtype = int64});
  all.random_(std::numeric_limits<std::int64_t>::min(), std::nullopt);
  const auto x = all.data<std::int64_t>();
  EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](std::int64_t v) { return v < 0; }));
  EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](std::int64_t v) { return v > 0; }));
  const Tensor bytes = randint(250, 256, {100}, {.dtype = uint8});
  for (const std::uint8_t v : bytes.data<std::uint8_t>()) EXPECT_GE(v, 250);
}

TEST(RandomTensor, RejectsInvalidArguments) {
  const Tensor x = zeros({3}), i = zeros({3}, {.dtype = int64}), u = zeros({3}, {.dtype = uint8});
  EXPECT_EQ(error_of<ValueError>([&] { x.uniform_(2, 1); }),
            "uniform_ expects to return a [from, to) range, but found from=2 > to=1");
  EXPECT_EQ(error_of<ValueError>([&] { x.uniform_(-3e38, 3e38); }),
            "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and "
            "from=-3e+38 which result in to-from to exceed the limit");
  EXPECT_EQ(error_of<ValueError>([&] { x.to(float16).uniform_(0, 7e4); }),
            "uniform_: to is out of bounds for float16: got 70000");
  EXPECT_EQ(error_of<ValueError>([&] { x.uniform_(-INFINITY, 0); }),
            "uniform_: from is out of bounds for float32: got -inf");
  EXPECT_TRUE(x.to(float64).uniform_(-3e38, 3e38).isfinite().all().item<bool>());
  EXPECT_EQ(error_of<ValueError>([&] { x.normal_(0, -1); }),
            "normal expects std >= 0.0, but found std -1");
  EXPECT_EQ(error_of<DTypeError>([&] { i.normal_(); }),
            "normal_: not implemented for this element type: got int64, expected a floating-point "
            "type");
  for (const auto& call :
       std::initializer_list<std::function<void()>>{[&] { x.log_normal_(0, 0); },
                                                    [&] { x.exponential_(0); },
                                                    [&] { x.cauchy_(0, 0); },
                                                    [&] { x.geometric_(1); },
                                                    [&] { x.geometric_(0); },
                                                    [&] { x.bernoulli_(1.5); },
                                                    [&] { x.bernoulli_(-0.5); },
                                                    [&] { x.bernoulli_(ones({3}).mul(2)); },
                                                    [&] { x.trunc_normal_(0, 1, 2, 2); },
                                                    [&] { x.trunc_normal_(0, 0, 0, 2); },
                                                    [&] { i.random_(5, 5); },
                                                    [&] { u.random_(0, 257); },
                                                    [&] { u.random_(-1, 5); },
                                                    [&] { x.uniform_(0, std::nan("")); },
                                                    [&] { randperm(-1); },
                                                    [&] { randperm(257, {.dtype = uint8}); },
                                                    [&] { randint(5, 4, {2}); },
                                                    [&] { poisson(ones({2}).mul(-1)); },
                                                    [&] { standard_gamma(zeros({2})); },
                                                    [&] { normal(x, ones({3}).mul(-1)); },
                                                    [&] { normal(0, ones({3}).mul(-1)); },
                                                    [&] { normal(x, -1); }}) {
    EXPECT_NE(error_of<ValueError>(call), "");
  }
  EXPECT_TRUE(equal(x, zeros({3})));
}

// The numbers were drawn by PyTorch 2.15.
TEST(RandomTensor, StandardGammaDrawsAsPyTorch) {
  const Generator generator(0);
  const Tensor x = standard_gamma(tensor({0.5, 1.0, 5.0}, {.dtype = float64}), generator);
  const Tensor expected =
      tensor({0.0007893582063475732, 0.11898370896786938, 5.021774554543885}, {.dtype = float64});
  EXPECT_TRUE(equal(x, expected));
  EXPECT_EQ(rand({1}, {}, generator).item<float>(), 0.6976675987243652f);
}

TEST(RandomTensor, MultinomialRejectsInvalidWeights) {
  const Tensor w = ones({4});
  for (const auto& call : std::initializer_list<std::function<void()>>{
           [&] { multinomial(w, 5); }, [&] { multinomial(w, 0); },
           [&] { multinomial(w.mul(-1), 1); }, [&] { multinomial(w.mul(0), 1); },
           [&] { multinomial(w.mul(std::numeric_limits<double>::infinity()), 1); },
           [&] { multinomial(w.mul(std::nan("")), 1); }, [&] { multinomial(zeros({0}), 1, true); }})
    EXPECT_NE(error_of<ValueError>(call), "");
  EXPECT_NE(error_of<ShapeError>([&] { multinomial(ones({2, 2, 2}), 1); }), "");
  EXPECT_NE(error_of<DTypeError>([&] { multinomial(ones({2}, {.dtype = int64}), 1); }), "");
}

}  // namespace
