// Hooks on nodes of the graph, and the context of errors in backward.
#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/function.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using test::contains, test::error_message;

using Gradients = GradFn::Gradients;

TEST(NodeHooks, ReceiveAndReplaceGradients) {
  const Tensor x = ones({2}, {.requires_grad = true}), y = full({2}, 3.0);
  const Tensor z = x * y;
  std::string log;
  const auto before = z.grad_fn().register_prehook([&](const Gradients& out) -> Gradients {
    log += "before " + out[0].str();
    return {out[0] * 2};
  });
  const auto after =
      z.grad_fn().register_hook([&](const Gradients& in, const Gradients& out) -> Gradients {
        log += " after " + in[0].str() + (in[1].defined() ? "?" : " None ") + out[0].str();
        return {in[0] + 1, Tensor()};
      });
  EXPECT_EQ(after.id(), before.id() + 1);
  z.sum().backward(Tensor(), true);
  EXPECT_EQ(log, "before tensor([1., 1.]) after tensor([6., 6.]) None tensor([2., 2.])");
  EXPECT_EQ(x.grad().data<float>()[0], 7);
  before.remove(), after.remove();
  z.sum().backward();
  EXPECT_EQ(x.grad().data<float>()[0], 10);
}

TEST(NodeHooks, RejectReplacementsThatDoNotMatch) {
  const Tensor x = ones({2}, {.requires_grad = true});
  const auto with = [&](Gradients given) {
    const Tensor y = x.exp();
    y.grad_fn().register_hook([&](const Gradients&, const Gradients&) { return given; });
    const std::string text = error_message([&] { y.sum().backward(); });
    return text.substr(0, 16) + text.substr(std::min(text.size(), text.find(": ")));
  };
  EXPECT_EQ(with({x, x}),
            "ExpBackward0 hoo: has returned an incorrect number of values (got 2, but expected 1)");
  EXPECT_EQ(with({ones({3})}),
            "ExpBackward0 hoo: has changed the size of value: got [3], expected [2]");
  EXPECT_EQ(with({ones({2}, {.dtype = float64})}),
            "ExpBackward0 hoo: has changed the type of value (was float32, got float64)");
  const Tensor z = x * full({2}, 3.0);
  z.grad_fn().register_hook([&](const Gradients& in, const Gradients&) -> Gradients {
    return {in[0], x};
  });
  EXPECT_TRUE(
      contains(error_message([&] { z.sum().backward(); }), "can't replace a None gradient"));
  EXPECT_EQ(error_message([&] { x.grad_fn().register_hook({}); }),
            "register_hook: cannot register a hook on a tensor that has no grad_fn");
}

struct Same : autograd::Function<Same> {
  static Tensor forward(autograd::Context&, const Tensor& a) { return a; }
  static std::vector<Tensor> backward(autograd::Context&, const std::vector<Tensor>& g) {
    return {g[0]};
  }
};

TEST(CustomFunctions, ReturnedInputIsReadOnlyView) {
  const Tensor x = ones({2}, {.requires_grad = true}), middle = x * 1;
  const Tensor y = Same::apply(middle);
  EXPECT_FALSE(y.is_same(middle));
  const std::string text = error_message([&] { y.add_(1); });
  EXPECT_EQ(text.find("Output 0 of Same is a view and is being modified inplace. This view was "
                      "created inside a custom Function"),
            0u)
      << text;
  middle.add_(1);
  EXPECT_EQ(error_message([&] { y.grad_fn(); })
                .find("Output 0 of Same is a view and its base or another view of its base has "
                      "been modified inplace."),
            0u);
}

TEST(CustomFunctions, ReceiveZerosForUndefinedGradients) {
  const Tensor x = ones({2}, {.requires_grad = true});
  const Tensor y = Same::apply(x) * 2;
  y.grad_fn().register_prehook([](const Gradients&) -> Gradients { return {Tensor()}; });
  y.sum().backward();
  EXPECT_EQ(x.grad().data<float>()[0], 0);
}

}  // namespace
}  // namespace taper
