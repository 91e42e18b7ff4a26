// Hooks on leaves: when they run during a pass, and which gradients they receive.
#include <gtest/gtest.h>

#include "autograd/hooks.h"
#include "hooked_leaf.h"
#include "ops/linalg/functions.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/function.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/ops/linalg.h"

namespace taper {
namespace {

using Gradients = GradFn::Gradients;

/// Log of the events of a pass, in order: hooks on leaves and the nodes that run.
struct Log {
  std::string text;

  void add(const std::string& event) { text += (text.empty() ? "" : " ") + event; }
  /// Logs the node of `t` before it runs.
  const Tensor& node(const std::string& name, const Tensor& t) {
    t.grad_fn().register_prehook([this, name](const Gradients&) {
      add(name);
      return Gradients();
    });
    return t;
  }
  RemovableHandle post(const std::string& name, const Tensor& t) {
    return t.register_post_accumulate_grad_hook([this, name](const Tensor&) { add(name); });
  }
  RemovableHandle hook(const std::string& name, const Tensor& t) {
    return t.register_hook([this, name](const Tensor&) {
      add(name);
      return Tensor();
    });
  }
};

TEST(LeafHooks, RunWhenLastContributionArrives) {
  Log log;
  const Tensor a = leaf(2), b = leaf(3), c = leaf(4), x = full({2}, 1.);
  log.post("a", a), log.hook("b-", b), log.post("b", b), log.post("c", c);
  const Tensor h1 = log.node("node1", x * a), h2 = log.node("node2", h1 * b),
               h3 = log.node("node3", h2 * c);
  h3.sum().backward();
  EXPECT_EQ(log.text, "node3 c node2 b- b node1 a");
}

TEST(LeafHooks, OfBiasOfLinearRunBeforeThatOfItsWeight) {
  Log log;
  const Tensor x = full({1, 1}, 1.);
  const Tensor w = full({1, 1}, 2., {.requires_grad = true}),
               b = full({1}, 3., {.requires_grad = true});
  log.post("w", w), log.post("b", b);
  linear(x, w, b).sum().backward();
  linear(x, w, full({1}, 3.)).sum().backward();
  EXPECT_EQ(log.text, "b w w");
}

TEST(LeafHooks, RunOnceWithSumForLeafWithSeveralUses) {
  Log log;
  const Tensor shared = leaf(2), once = leaf(3), x = full({2}, 1.);
  float seen = 0;
  shared.register_hook([&](const Tensor& g) {
    seen = first(g);
    return Tensor();
  });
  log.post("shared", shared), log.post("once", once);
  // y = x * shared * once * shared
  const Tensor h1 = log.node("node1", x * shared), h2 = log.node("node2", h1 * once),
               h3 = log.node("node3", h2 * shared);
  h3.sum().backward();
  EXPECT_EQ(log.text, "node3 node2 once node1 shared");
  EXPECT_EQ(seen, 2 * 2 * 3);
  EXPECT_EQ(first(shared.grad()), 2 * 2 * 3);
}

TEST(LeafHooks, RunOnceForLeafUsedTwiceByOneNode) {
  Log log;
  const Tensor a = leaf(3);
  log.post("a", a);
  (a * a).sum().backward();
  EXPECT_EQ(log.text, "a");
  EXPECT_EQ(first(a.grad()), 6);
}

TEST(LeafHooks, RunOnceBeforeEarlierNodesForLeafWithViews) {
  Log log;
  const Tensor w = full({2, 2}, 3., {.requires_grad = true}), early = leaf(1);
  log.post("w", w), log.post("early", early);
  const Tensor h = log.node("node1", early * 2);
  const Tensor y = log.node("node2", h * w.t().select(0, 1) + w.view({4}).slice(0, 0, 2));
  y.sum().backward();
  EXPECT_EQ(log.text, "node2 w node1 early");
  EXPECT_EQ(w.grad().str(), "tensor([[1., 3.],\n        [0., 2.]])");
}

TEST(LeafHooks, DoNotChangeGradients) {
  const auto gradients = [](bool hooks) {
    std::vector<Tensor> leaves;
    for (int i = 0; i < 3; ++i)
      leaves.push_back((arange(7, {.dtype = float32}) * 0.37 + i).sin().detach().requires_grad_());
    if (hooks) leaves[1].register_post_accumulate_grad_hook([](const Tensor&) {});
    for (int pass = 0; pass < 2; ++pass) {
      Tensor y = leaves[0] * 1;
      for (std::size_t i = 0; i < 9; ++i)
        y = (y * leaves[i % 3] + leaves[(i + 1) % 3].exp()).tanh();
      (y * leaves[1]).sum().backward();
    }
    return std::vector<Tensor>{leaves[0].grad(), leaves[1].grad(), leaves[2].grad()};
  };
  const std::vector<Tensor> with = gradients(true), without = gradients(false);
  for (std::size_t i = 0; i < with.size(); ++i) EXPECT_TRUE(equal(with[i], without[i])) << i;
}

TEST(LeafHooks, ReplaceGradientBeforeAccumulation) {
  const Tensor a = leaf(2);
  float post = 0;
  a.register_hook([](const Tensor& g) { return g * 10; });
  a.register_hook([](const Tensor& g) { return g + 1; });
  a.register_post_accumulate_grad_hook([&](const Tensor& t) {
    post = first(t.grad());
    t.set_grad(t.grad() * 2);
  });
  (a * 3).sum().backward();
  EXPECT_EQ(post, 31);
  EXPECT_EQ(first(a.grad()), 62);
  (a * 3).sum().backward();
  EXPECT_EQ(post, 62 + 31);
}

TEST(LeafHooks, RunForLeavesThatAreRoots) {
  Log log;
  const Tensor a = leaf(2), b = leaf(3);
  log.post("a", a), log.post("b", b);
  const Tensor y = log.node("node", b * 2);
  const std::vector<Tensor> roots{a, y, a};
  autograd::backward(roots, {.grad_tensors = {ones({2}), ones({2}), ones({2})}});
  EXPECT_EQ(log.text, "a node b");
  EXPECT_EQ(first(a.grad()), 2);
}

TEST(LeafHooks, OnlyTensorHooksRunForCapturedLeaves) {
  Log log;
  const Tensor a = leaf(2), b = leaf(3);
  a.register_hook([](const Tensor& g) { return g * 10; });
  log.post("a", a), log.hook("b-", b), log.post("b", b);
  EXPECT_EQ(first(autograd::grad((a * b).sum(), a)), 30);
  EXPECT_EQ(log.text, "");
  EXPECT_FALSE(a.grad().defined());
}

TEST(LeafHooks, CountOnlyUsesNeededForInputs) {
  Log log;
  const Tensor a = leaf(2), b = leaf(3), c = leaf(4);
  log.post("a", a), log.hook("b-", b), log.post("b", b), log.post("c", c);
  const Tensor h1 = log.node("node1", a * c), h2 = log.node("node2", h1 * b),
               h3 = log.node("node3", h2 * c);
  autograd::backward(h3.sum(), {.retain_graph = true, .inputs = {c}});
  EXPECT_EQ(log.text, "node3 node2 node1 c");
  EXPECT_FALSE(a.grad().defined() || b.grad().defined());
  log.text.clear();
  autograd::backward(h3.sum(), {.inputs = {b, h1}});
  EXPECT_EQ(log.text, "node3 node2 b- b");
  EXPECT_EQ(first(h1.grad()), 12);
  EXPECT_EQ(first(b.grad()), 32);
  EXPECT_FALSE(a.grad().defined());
}

TEST(LeafHooks, RunInEveryPassOverRetainedGraph) {
  Log log;
  const Tensor a = leaf(2);
  log.post("a", a);
  const Tensor y = log.node("node", a * a).sum();
  y.backward(Tensor(), true);
  y.backward();
  EXPECT_EQ(log.text, "node a node a");
  EXPECT_EQ(first(a.grad()), 8);
}

TEST(LeafHooks, ReceiveDifferentiableGradientsWithCreateGraph) {
  const Tensor a = leaf(2), b = leaf(3);
  bool recorded = false, post_recorded = false;
  a.register_hook([&](const Tensor& g) {
    recorded = g.requires_grad();
    return g * g;
  });
  b.register_post_accumulate_grad_hook(
      [&](const Tensor& t) { post_recorded = is_grad_enabled() && t.grad().requires_grad(); });
  const Tensor y = (a * a * b).sum();
  const Tensor ga = autograd::grad(y, a, {.create_graph = true});
  EXPECT_TRUE(recorded);
  EXPECT_EQ(first(ga), 144);                          // ga = (2 a b)^2
  EXPECT_EQ(first(autograd::grad(ga.sum(), b)), 96);  // d ga / d b = 8 a^2 b
  y.backward(Tensor(), true, true);
  EXPECT_TRUE(post_recorded);
  EXPECT_EQ(first(a.grad()), 144);
  EXPECT_EQ(first(b.grad()), 4);
  a.set_grad({}), b.set_grad({});  // breaks the cycle: these gradients refer to their leaves
}

/// Function whose backward returns a gradient of the first input only.
struct FirstOnly : autograd::Function<FirstOnly> {
  static Tensor forward(autograd::Context& ctx, const Tensor& a, const Tensor& b) {
    ctx.set_materialize_grads(false);
    return a + b;
  }
  static std::vector<Tensor> backward(autograd::Context&, const std::vector<Tensor>& g) {
    return {g[0], Tensor()};
  }
};

TEST(LeafHooks, AreNotDelayedByUsesWithoutGradient) {
  Log log;
  const Tensor a = leaf(2), unreached = leaf(3), x = leaf(1);
  log.post("a", a), log.hook("unreached", unreached), log.post("x", x);
  const Tensor h = log.node("node1", x * 2), f = log.node("node2", FirstOnly::apply(a * h, a));
  const Tensor y = log.node("node3", FirstOnly::apply(f, (unreached * 2) * a));
  y.sum().backward();
  // The pass visits unreached * 2 * a and a * h before node1; both are uses of a.
  EXPECT_EQ(log.text, "node3 node2 a node1 x");
  EXPECT_EQ(first(a.grad()), 2);
  EXPECT_FALSE(unreached.grad().defined());
}

TEST(LeafHooks, AccumulateNothingForLeafFrozenAfterForward) {
  Log log;
  const Tensor a = leaf(2), b = leaf(3), c = leaf(4);
  log.hook("a-", a), log.post("a", a);
  const Tensor y = (a * b * c).sum();
  a.set_requires_grad(false), c.set_requires_grad(false);
  y.backward();
  EXPECT_EQ(log.text, "a-");
  EXPECT_FALSE(a.grad().defined() || c.grad().defined());
  EXPECT_EQ(first(b.grad()), 8);
}

TEST(LeafHooks, AreCountedWhileRegistered) {
  ASSERT_FALSE(leaf_hooks_exist());
  const auto nothing = [](const Tensor&) { return Tensor(); };
  const Tensor a = leaf(2), y = a * 2;
  y.register_hook(nothing);  // a hook of a node, not of a leaf
  EXPECT_FALSE(leaf_hooks_exist());
  const RemovableHandle one = a.register_hook(nothing);
  const RemovableHandle two = a.register_post_accumulate_grad_hook([](const Tensor&) {});
  one.remove(), one.remove();
  EXPECT_TRUE(leaf_hooks_exist());
  two.remove();
  EXPECT_FALSE(leaf_hooks_exist());
  {
    const Tensor b = leaf(3);
    b.register_hook(nothing), b.register_hook(nothing);
    EXPECT_TRUE(leaf_hooks_exist());
  }
  EXPECT_FALSE(leaf_hooks_exist());
}

TEST(Backward, RejectsInputsThatDoNotRequireGrad) {
  const Tensor a = leaf(2), plain = ones({2});
  EXPECT_THROW(autograd::backward((a * plain).sum(), {.inputs = {a, plain}}), RuntimeError);
  EXPECT_FALSE(a.grad().defined());
}

}  // namespace
}  // namespace taper
