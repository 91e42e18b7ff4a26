// utils::checkpoint, nested saved-tensor hooks and batched gradients, beyond the numbered
// scenarios.
#include "taper/autograd/checkpoint.h"

#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/core/memory.h"
#include "taper/nn/functional.h"

namespace taper {
namespace {

using test::contains, test::error_text;

TEST(Checkpoint, ReproducesRandomNumbers) {
  const Tensor x = ones({50}, {.requires_grad = true});
  manual_seed(3);
  const Tensor y = utils::checkpoint([](const Tensor& t) { return F::dropout(t * t, 0.5); }, x);
  const double next = rand({1}).item<double>();
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), y.detach() * 2));  // 0 for dropped elements, otherwise 4
  manual_seed(3);
  F::dropout(ones({50}), 0.5);
  EXPECT_EQ(rand({1}).item<double>(), next);
}

TEST(Checkpoint, StoresOnlyInputs) {
  const auto deep = [](Tensor t) {
    for (int i = 0; i < 20; ++i) t = (t * 0.5).tanh();
    return t;
  };
  const Tensor x = randn({1000, 100}, {.requires_grad = true});
  const auto held = [] { return memory::stats().allocated; };
  const auto before = held();
  Tensor y = utils::checkpoint(deep, x);
  const auto kept = held() - before;
  EXPECT_LE(kept, 600'000u);  // only the result, which has 400,000 bytes, is retained
  y.sum().backward();
  const Tensor again = x.grad().clone();
  x.set_grad({});
  y = deep(x);
  EXPECT_GE(held() - before, 20 * 400'000u);
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), again));
}

TEST(Checkpoint, SupportsNestingAndRepeatedBackward) {
  const Tensor x = tensor({0.3, -0.8}, {.dtype = float64, .requires_grad = true});
  int outer = 0, inner = 0;
  const auto f = [&](const Tensor& t) {
    ++outer;
    const Tensor middle = t.sin();
    return utils::checkpoint(
               [&](const Tensor& u) {
                 ++inner;
                 return (u * u).exp();
               },
               middle)
        .cos();
  };
  const Tensor plain = (x.sin() * x.sin()).exp().cos();
  const Tensor expected = autograd::grad(plain.sum(), x, {.create_graph = true});
  const Tensor y = utils::checkpoint(f, x).sum();
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
  y.backward({}, true);
  EXPECT_TRUE(equal(x.grad(), expected.detach()));
  EXPECT_EQ(outer, 2);
  x.set_grad({});
  y.backward({}, true);  // the second backward recomputes the released tensors
  EXPECT_TRUE(equal(x.grad(), expected.detach()));
  const Tensor first = autograd::grad(y, x, {.create_graph = true});
  EXPECT_TRUE(allclose(first, expected));
  EXPECT_TRUE(allclose(autograd::grad(first.sum(), x), autograd::grad(expected.sum(), x)));
}

TEST(Checkpoint, CallsFunctionOnceWithoutGradMode) {
  const NoGrad guard;
  int calls = 0;
  const Tensor y = utils::checkpoint(
      [&](const Tensor& t) {
        ++calls;
        return t.exp();
      },
      ones({2}, {.requires_grad = true}));
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(y.requires_grad());
}

TEST(Checkpoint, AcceptsListOfInputs) {
  const Tensor a = tensor({0.3, -0.8}, {.dtype = float64, .requires_grad = true}), b = a * 2;
  int calls = 0;
  const auto product = [&](const std::vector<Tensor>& t) {
    ++calls;
    return (t[0] * t[1]).sin();
  };
  const Tensor y = utils::checkpoint({}, product, std::vector<Tensor>{a, b});
  y.sum().backward();
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(allclose(a.grad(), (2 * a * a).cos() * 4 * a));
}

TEST(Checkpoint, RejectsModifiedInputOfList) {
  const Tensor a = ones({2}, {.requires_grad = true});
  const Tensor b = a * 2;
  const Tensor y = utils::checkpoint(
      {}, [](const std::vector<Tensor>& t) { return t[0] * t[1]; }, std::vector<Tensor>{a, b});
  b.add_(1);
  EXPECT_TRUE(contains(error_text<RuntimeError>([&] { y.sum().backward(); }),
                       "modified by an inplace operation"));
}

TEST(Checkpoint, RejectsDifferentRecomputation) {
  int calls = 0;
  const auto changing = [&](const Tensor& t) { return ++calls == 1 ? t.exp() : t.exp().exp(); };
  const Tensor x = ones({2}, {.requires_grad = true});
  EXPECT_EQ(error_text<RuntimeError>([&] { utils::checkpoint(changing, x).sum().backward(); }),
            "checkpoint: A different number of tensors was saved during the original forward and "
            "recomputation.\nNumber of tensors saved during forward: 1\nNumber of tensors saved "
            "during recomputation: 2.");
  calls = 0;
  const auto resized = [&](const Tensor& t) {
    return ++calls == 1 ? t.exp() : t.expand({3, 2}).exp();
  };
  EXPECT_TRUE(
      contains(error_text<RuntimeError>([&] { utils::checkpoint(resized, x).sum().backward(); }),
               "different metadata than during the forward pass.\ntensor at position 0: "
               "saved float32 [2] on cpu, recomputed float32 [3, 2] on cpu"));
  const Tensor w = ones({2}, {.requires_grad = true}), middle = w * 2;
  const Tensor y = utils::checkpoint([](const Tensor& t) { return t.exp(); }, middle);
  middle.detach().zero_();
  EXPECT_TRUE(contains(error_text<RuntimeError>([&] { y.sum().backward(); }),
                       "modified by an inplace operation"));
}

TEST(SavedTensorsHooks, InnermostPairApplies) {
  std::string log;
  const auto hooks = [&](const char* name) {
    return [&log, name](const Tensor& t) {
      log += name;
      return t;
    };
  };
  const auto same = [](const Tensor& t) { return t; };
  const Tensor x = ones({2}, {.requires_grad = true});
  {
    const autograd::SavedTensorsHooks a(hooks("a"), same);
    x.exp();
    {
      const autograd::SavedTensorsHooks b(hooks("b"), same);
      x.exp();
    }
    x.exp();
  }
  x.exp();
  EXPECT_EQ(log, "aba");
}

TEST(BatchedGrad, ReturnsOneGradientPerGradOutput) {
  const Tensor x = tensor({1., 2., 3.}, {.dtype = float64, .requires_grad = true});
  const Tensor y = x * x.sum(), unused = ones({1}, {.requires_grad = true});
  const Tensor jacobian = autograd::grad(
      y, x, {.grad_outputs = {eye(3).to(float64)}, .retain_graph = true, .is_grads_batched = true});
  EXPECT_TRUE(allclose(jacobian, x.detach().unsqueeze(1).expand({3, 3}) + eye(3).to(float64) * 6));
  const Tensor none = autograd::grad(y, x,
                                     {.grad_outputs = {zeros({0, 3}, {.dtype = float64})},
                                      .retain_graph = true,
                                      .is_grads_batched = true});
  EXPECT_EQ(none.shape(), Shape({0, 3}));
  EXPECT_FALSE(autograd::grad(y, std::vector<Tensor>{unused},
                              {.grad_outputs = {eye(3).to(float64)},
                               .retain_graph = true,
                               .allow_unused = true,
                               .is_grads_batched = true})[0]
                   .defined());
  EXPECT_THROW(autograd::grad(y, x, {.is_grads_batched = true}), ShapeError);
}

}  // namespace
}  // namespace taper
