// amp::Autocast: dtypes of results, scopes, the cache of casts, and functions of the user.
#include "taper/autograd/autocast.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/checkpoint.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional.h"
#include "taper/nn/linear.h"

namespace taper {
namespace {

using test::error_text;

TEST(Autocast, CastsByOperation) {
  const Tensor x = ones({2, 2}), d = ones({2, 2}, {.dtype = float64});
  const amp::Autocast guard({.dtype = bfloat16});
  EXPECT_EQ(x.mm(x).dtype(), bfloat16);
  EXPECT_EQ((x + x).dtype(), float32);
  EXPECT_EQ(F::mse_loss(x.mm(x), x).dtype(), float32);
  EXPECT_EQ(cat({x.mm(x), x}).dtype(), float32);
  EXPECT_EQ(d.mm(d).dtype(), float64);
  EXPECT_EQ(matmul(x, ones({2})).dtype(), bfloat16);
}

TEST(Autocast, RestoresStateAfterScopes) {
  const Tensor x = ones({2, 2});
  {
    const amp::Autocast outer({.dtype = float16});
    EXPECT_EQ(x.mm(x).dtype(), float16);
    {
      const amp::Autocast inner({.enabled = false});
      EXPECT_FALSE(is_autocast_enabled());
      EXPECT_EQ(x.mm(x).dtype(), float32);
    }
    EXPECT_EQ(get_autocast_dtype(), float16);
  }
  try {
    const amp::Autocast guard;
    throw std::runtime_error("");
  } catch (const std::runtime_error&) {}
  EXPECT_FALSE(is_autocast_enabled());
  EXPECT_EQ(get_autocast_dtype(), bfloat16);
}

TEST(Autocast, WarnsAboutOtherDtypesAndRejectsThemAsDefault) {
  const test::WarningCapture warnings;
  {
    const amp::Autocast guard({.dtype = float64});
    EXPECT_FALSE(is_autocast_enabled());
  }
  ASSERT_EQ(warnings.count(), 1u);
  EXPECT_NE(error_text<ValueError>([] { set_autocast_dtype(int64); }), "");
  EXPECT_EQ(get_autocast_dtype(), bfloat16);
}

TEST(Autocast, GradientsHaveDtypeOfParameters) {
  manual_seed(0);
  nn::Linear layer(3, 2);
  Tensor loss;
  {
    const amp::Autocast guard;
    loss = F::mse_loss(layer(randn({4, 3})), zeros({4, 2}));
  }
  EXPECT_EQ(loss.dtype(), float32);
  loss.backward();
  EXPECT_EQ(layer.weight.grad().dtype(), float32);
  EXPECT_GT(layer.weight.grad().abs().sum().item<float>(), 0);
}

TEST(Autocast, CastsLeavesOncePerOutermostScope) {
  const Tensor w = ones({1, 1}, {.requires_grad = true}), x = ones({1, 1});
  const auto product = [&] { return x.mm(w).item<float>(); };
  const auto set = [&](double value) {
    const NoGrad guard;
    w.fill_(value);
  };
  const amp::Autocast outer;
  {
    const amp::Autocast inner;
    EXPECT_EQ(product(), 1);
  }
  set(2);
  EXPECT_EQ(product(), 1);
  clear_autocast_cache();
  EXPECT_EQ(product(), 2);
  const amp::Autocast uncached({.cache_enabled = false});
  set(3);
  EXPECT_EQ(product(), 3);
}

// A cast in no-grad mode has no history, with which a later product would lose its gradient.
TEST(Autocast, KeepsGradientAfterUseInNoGradMode) {
  const Tensor w = ones({1, 1}, {.requires_grad = true}), x = ones({1, 1});
  const amp::Autocast guard;
  {
    const NoGrad no_grad;
    static_cast<void>(x.mm(w));
  }
  x.mm(w).sum().backward();
  EXPECT_EQ(w.grad().item<float>(), 1);
}

TEST(Autocast, DoesNotCastOperationsInPlace) {
  const Tensor x = ones({2, 2}), y = zeros({2, 2});
  const amp::Autocast guard;
  y.addmm_(x, x);
  EXPECT_EQ(y.dtype(), float32);
  EXPECT_EQ(y[0][0].item<float>(), 2);
}

TEST(Autocast, ComputesProductsInPlaceInTheDtypeOfTheirOperands) {
  const Tensor m = full({1, 1}, 1.001), v = full({1}, 1.001), b = full({1, 1, 1}, 1.001);
  const auto in_place = [](const Shape& shape, const auto& add) {
    const Tensor y = zeros(shape);
    add(y);
    return y.item<double>();
  };
  const double expected = double{1.001f * 1.001f};  // bfloat16: 1
  const amp::Autocast guard({.dtype = bfloat16});
  EXPECT_EQ(in_place({1, 1}, [&](const Tensor& y) { y.addmm_(m, m); }), expected);
  EXPECT_EQ(in_place({1, 1}, [&](const Tensor& y) { y.addbmm_(b, b); }), expected);
  EXPECT_EQ(in_place({1, 1, 1}, [&](const Tensor& y) { y.baddbmm_(b, b); }), expected);
  EXPECT_EQ(in_place({1}, [&](const Tensor& y) { y.addmv_(m, v); }), expected);
  EXPECT_EQ(in_place({1, 1}, [&](const Tensor& y) { y.addr_(v, v); }), expected);
  EXPECT_EQ(addmm(zeros({1, 1}), m, m).dtype(), bfloat16);
  // Operands are not cast to a common dtype. addr promotes them, within and outside of autocast.
  const Tensor y = zeros({1, 1}), low = m.to(bfloat16), batch = zeros({1, 1, 1});
  EXPECT_THROW(y.addmm_(low, low), DTypeError);
  EXPECT_THROW(y.addmm_(m, low), DTypeError);
  EXPECT_THROW(y.addbmm_(b, b.to(bfloat16)), DTypeError);
  EXPECT_THROW(batch.baddbmm_(b.to(bfloat16), b.to(bfloat16)), DTypeError);
  EXPECT_EQ(y.item<double>(), 0);
  y.addr_(v, v.to(bfloat16));
  EXPECT_EQ(y.item<double>(), double{1.001f});
}

TEST(Autocast, HoldsInRecomputationOfCheckpoint) {
  manual_seed(0);
  const Tensor w = randn({3, 3}, {.requires_grad = true}), x = randn({2, 3});
  const auto f = [&](const Tensor& t) { return t.mm(w).mm(w); };
  Tensor plain, checkpointed;
  {
    const amp::Autocast guard;
    plain = f(x);
    checkpointed = utils::checkpoint(f, x);
  }
  plain.to(float32).sum().backward();
  const Tensor expected = w.grad().clone();
  w.set_grad({});
  checkpointed.to(float32).sum().backward();
  EXPECT_TRUE(equal(w.grad(), expected));
}

struct Product : autograd::Function<Product> {
  static Tensor forward(autograd::Context& ctx, const Tensor& a, const Tensor& b) {
    return amp::custom_fwd(
        ctx, {.cast_inputs = float32},
        [&](const Tensor& x, const Tensor& y) {
          ctx.save_for_backward({x, y});
          return x.mm(y);
        },
        a, b);
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    return amp::custom_bwd(ctx, [&] {
      EXPECT_FALSE(is_autocast_enabled());
      const std::vector<Tensor> saved = ctx.saved_tensors();
      return std::vector<Tensor>{grads[0].mm(saved[1].t()), saved[0].t().mm(grads[0])};
    });
  }
};

TEST(Autocast, CustomForwardCastsInputs) {
  const Tensor a = ones({2, 2}, {.dtype = bfloat16}).requires_grad_(), b = ones({2, 2});
  const amp::Autocast guard;
  const Tensor y = Product::apply(a, b);
  EXPECT_EQ(y.dtype(), float32);
  y.sum().backward();
  EXPECT_EQ(a.grad().dtype(), bfloat16);
}

}  // namespace
}  // namespace taper
