// Custom functions that record a graph in forward, save its tensors, and differentiate it in
// backward.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/function.h"
#include "taper/autograd/saved_tensors.h"
#include "taper/core/factory.h"
#include "taper/core/memory.h"

namespace taper {
namespace {

/// Sine, whose gradient is that of the saved graph.
struct InnerSine : autograd::Function<InnerSine> {
  static Tensor forward(autograd::Context& ctx, const Tensor& x) {
    const EnableGrad recorded;
    const Tensor a = x.detach().requires_grad_(), b = a.sin();
    ctx.save_for_backward({a, b, b.slice(0, 0, 1), Tensor()});
    return b.detach();
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    const std::vector<Tensor> saved = ctx.saved_tensors();
    EXPECT_TRUE(saved[0].is_leaf() && saved[0].requires_grad());
    EXPECT_EQ(saved[1].grad_fn().name(), "SinBackward0");
    EXPECT_EQ(saved[2].grad_fn().name(), "SliceBackward0");
    EXPECT_FALSE(saved[3].defined());
    const Tensor whole = autograd::grad(
        saved[1], saved[0], {.grad_outputs = std::vector<Tensor>{grads[0]}, .retain_graph = true});
    const Tensor first = autograd::grad(saved[2], saved[0], {.retain_graph = true});
    return {whole + first};
  }
};

TEST(SavedInnerGraph, IsDifferentiatedInBackward) {
  const Tensor x = tensor({1.0, 2.0}, {.dtype = float64}).requires_grad_();
  const Tensor y = InnerSine::apply(x);
  EXPECT_TRUE(equal(y, x.detach().sin()));
  y.sum().backward(Tensor(), true);
  const Tensor expected = x.detach().cos() + tensor({std::cos(1.0), 0.0}, {.dtype = float64});
  EXPECT_TRUE(equal(x.grad(), expected));
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), expected * 2));
}

TEST(SavedInnerGraph, PassesThroughSavedTensorsHooks) {
  const Tensor x = tensor({1.0, 2.0}).requires_grad_();
  int packed = 0;
  struct Tanh : autograd::Function<Tanh> {
    static Tensor forward(autograd::Context& ctx, const Tensor& input) {
      const EnableGrad recorded;
      const Tensor a = input.detach().requires_grad_();
      ctx.state<Tensor>() = a;
      const Tensor b = a.tanh();
      ctx.save_for_backward({b});
      return b.detach();
    }
    static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
      return {autograd::grad(ctx.saved_tensors()[0], ctx.state<Tensor>(),
                             {.grad_outputs = std::vector<Tensor>{grads[0]}})};
    }
  };
  Tensor y;
  {
    const autograd::SavedTensorsHooks hooks([&](const Tensor& t) { return ++packed, t.clone(); },
                                            [](const Tensor& t) { return t; });
    y = Tanh::apply(x);
  }
  EXPECT_EQ(packed, 2);  // by tanh, and by the function
  y.sum().backward();
  EXPECT_TRUE(allclose(x.grad(), 1 - x.detach().tanh().square()));
}

TEST(SavedInnerGraph, IsReleasedWithTheOuterGraph) {
  const Tensor x = ones({1024}).requires_grad_();
  InnerSine::apply(x).sum().backward();  // creates the gradient
  const std::size_t before = memory::stats().allocated;
  for (int i = 0; i < 3; ++i) InnerSine::apply(x).sum().backward();
  { const Tensor unused = InnerSine::apply(x); }
  EXPECT_EQ(memory::stats().allocated, before);
  const Tensor y = InnerSine::apply(x);
  y.sum().backward();
  const std::string text = test::error_text<RuntimeError>([&] { y.sum().backward(); });
  EXPECT_TRUE(text.find("Trying to backward through the graph a second time") != std::string::npos)
      << text;
}

TEST(SavedInnerGraph, ReportsTheProducerOfAModifiedTensor) {
  struct Modified : autograd::Function<Modified> {
    static Tensor forward(autograd::Context& ctx, const Tensor& x) {
      const EnableGrad recorded;
      const Tensor b = x.detach().requires_grad_().sin();
      ctx.save_for_backward({b});
      ctx.state<Tensor>() = b.detach();
      return b.detach().clone();
    }
    static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>&) {
      ctx.state<Tensor>().mul_(2);
      return {ctx.saved_tensors()[0]};
    }
  };
  const Tensor x = tensor({1.0, 2.0}).requires_grad_();
  const std::string text =
      test::error_text<RuntimeError>([&] { Modified::apply(x).sum().backward(); });
  EXPECT_TRUE(text.find("modified by an inplace operation") != std::string::npos &&
              text.find("which is output 0 of SinBackward0, is at version 1; expected version 0") !=
                  std::string::npos)
      << text;
}

}  // namespace
}  // namespace taper
