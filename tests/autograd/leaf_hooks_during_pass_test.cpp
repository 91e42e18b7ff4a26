// Hooks on leaves that change a running pass: registration, removal, nested passes, exceptions.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "autograd/hooks.h"
#include "hooked_leaf.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/function.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

/// Registers a hook that runs `action` when the gradient of `t` is computed.
RemovableHandle on_gradient(const Tensor& t, std::function<void()> action) {
  return t.register_hook([action = std::move(action)](const Tensor&) {
    action();
    return Tensor();
  });
}

/// A chain h1 = x * early, h2 = h1 * 2, h3 = h2 * late. The gradient of `late` is complete before
/// those of h2 and h1, and the gradient of `early` after them.
struct Chain {
  Tensor early = leaf(2), late = leaf(3);
  Tensor h1 = leaf(1) * early, h2 = h1 * 2, h3 = h2 * late;
  std::string log;

  void post(const char* name, const Tensor& t) {
    t.register_post_accumulate_grad_hook([this, name](const Tensor&) { log += name; });
  }
  void backward(bool retain = false) { h3.sum().backward(Tensor(), retain); }
};

class HookRegisteredDuringPass : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(, HookRegisteredDuringPass, testing::Bool(), [](const auto& p) {
  return p.param ? "WhileOtherHooksExist" : "AsTheFirstHook";
});

TEST_P(HookRegisteredDuringPass, RunsIfLeafIsIncomplete) {
  ASSERT_FALSE(leaf_hooks_exist());
  const Tensor other = leaf(1);
  if (GetParam()) on_gradient(other, [] {});
  Chain c;
  on_gradient(c.h2, [&] {
    c.log += "h2 ";
    c.post("early ", c.early), c.post("late ", c.late);
  });
  on_gradient(c.h1, [&] { c.log += "h1 "; });
  Tensor last = leaf(5);
  c.h3 = c.h3 * last;
  c.backward(true);
  EXPECT_EQ(c.log, "h2 h1 early ");
  EXPECT_EQ(first(c.late.grad()), 4 * 5);
  EXPECT_EQ(first(c.early.grad()), 6 * 5);
  EXPECT_EQ(first(last.grad()), 12);
  c.log.clear();
  c.late.set_grad({});
  c.h3.sum().backward();  // the hooks of the second registration run after the first ones
  EXPECT_EQ(c.log, "late h2 h1 early early ");
  EXPECT_EQ(first(c.late.grad()), 20);
}

TEST_P(HookRegisteredDuringPass, RunsBeforeEarlierNodes) {
  const Tensor other = leaf(1);
  if (GetParam()) on_gradient(other, [] {});
  Chain c;
  on_gradient(c.h3, [&] { c.post("late ", c.late); });
  on_gradient(c.h1, [&] { c.log += "h1 "; });
  c.backward();
  EXPECT_EQ(c.log, "late h1 ");
}

TEST_P(HookRegisteredDuringPass, DoesNotChangeCapturedGradients) {
  const Tensor other = leaf(1);
  if (GetParam()) on_gradient(other, [] {});
  Chain c;
  on_gradient(c.h2, [&] {
    c.late.register_hook([](const Tensor& g) { return g * 100; });
    c.early.register_hook([](const Tensor& g) { return g * 10; });
  });
  const std::vector<Tensor> inputs{c.late, c.early};
  const std::vector<Tensor> grads = autograd::grad(std::vector<Tensor>{c.h3.sum()}, inputs);
  EXPECT_EQ(first(grads[0]), 4);  // was complete before the hook was registered
  EXPECT_EQ(first(grads[1]), 60);
}

TEST(LeafHooks, DoNotRunAfterRemovalDuringPass) {
  Chain c;
  const RemovableHandle early =
      c.early.register_post_accumulate_grad_hook([&](const Tensor&) { c.log += "early "; });
  c.late.register_post_accumulate_grad_hook([&](const Tensor&) {
    c.log += "late ";
    early.remove();
  });
  c.backward();
  EXPECT_EQ(c.log, "late ");
  EXPECT_EQ(first(c.early.grad()), 6);
}

TEST(LeafHooks, CanRemoveThemselves) {
  const Tensor a = leaf(2);
  int calls = 0;
  RemovableHandle handle;
  handle = a.register_post_accumulate_grad_hook([&](const Tensor&) { ++calls, handle.remove(); });
  for (int i = 0; i < 2; ++i) (a * 3).sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(leaf_hooks_exist());
  EXPECT_EQ(first(a.grad()), 6);
}

TEST(LeafHooks, CanRegisterPostAccumulateHookOnTheirLeaf) {
  const Tensor a = leaf(2);
  std::string log;
  a.register_hook([&](const Tensor&) {
    a.register_post_accumulate_grad_hook([&](const Tensor&) { log += "post "; });
    return Tensor();
  });
  (a * 3).sum().backward();
  EXPECT_EQ(log, "post ");
}

TEST(LeafHooks, CanRunNestedPasses) {
  Chain c;
  const Tensor inner = leaf(7);
  c.late.register_hook([&](const Tensor& g) {
    const EnableGrad record;
    (inner * inner).sum().backward();
    return autograd::grad((inner * c.early).sum(), inner) + g;
  });
  c.post("early ", c.early);
  inner.register_post_accumulate_grad_hook([&](const Tensor&) { c.log += "inner "; });
  c.backward();
  EXPECT_EQ(c.log, "inner early ");
  EXPECT_EQ(first(inner.grad()), 14);
  EXPECT_EQ(first(c.late.grad()), 4 + 2);
  EXPECT_EQ(first(c.early.grad()), 6);
}

TEST(LeafHooks, CanRunNestedPassOverTheirLeaf) {
  const Tensor a = leaf(2);
  std::string log;
  bool nested = false;
  a.register_post_accumulate_grad_hook([&](const Tensor& t) {
    log += "(" + std::to_string(static_cast<int>(first(t.grad())));
    if (!std::exchange(nested, true)) {
      const EnableGrad record;
      (t * 5).sum().backward();
    }
    log += ")";
  });
  (a * 3).sum().backward();
  EXPECT_EQ(log, "(3(8))");
  EXPECT_EQ(first(a.grad()), 8);
}

struct Failing : autograd::Function<Failing> {
  static Tensor forward(autograd::Context&, const Tensor& a) { return a * 1; }
  static std::vector<Tensor> backward(autograd::Context&, const std::vector<Tensor>&) {
    throw ValueError("this function has no gradient");
  }
};

TEST(LeafHooks, FinishedGradientsSurviveErrorInLaterNode) {
  const Tensor a = leaf(2), b = leaf(3), x = leaf(1);
  std::string log;
  for (const Tensor& t : {a, b, x})
    t.register_post_accumulate_grad_hook([&](const Tensor&) { log += "post "; });
  const Tensor y = (Failing::apply(x * a) * b).sum();
  EXPECT_THROW(y.backward(), ValueError);
  EXPECT_EQ(log, "post ");
  EXPECT_EQ(first(b.grad()), 2);
  EXPECT_FALSE(a.grad().defined() || x.grad().defined());
  (a * x).sum().backward();
  EXPECT_EQ(first(a.grad()), 1);
}

TEST(LeafHooks, ExceptionAbortsPass) {
  Chain c;
  c.post("early ", c.early);
  const RemovableHandle failing = c.late.register_post_accumulate_grad_hook(
      [](const Tensor&) { throw ValueError("the hook failed"); });
  EXPECT_THROW(c.backward(true), ValueError);
  EXPECT_EQ(c.log, "");
  EXPECT_EQ(first(c.late.grad()), 4);
  EXPECT_FALSE(c.early.grad().defined());
  failing.remove();
  c.late.set_grad({});
  const RemovableHandle before =
      c.late.register_hook([](const Tensor&) -> Tensor { throw ValueError("the hook failed"); });
  EXPECT_THROW(c.backward(true), ValueError);
  EXPECT_FALSE(c.late.grad().defined() || c.early.grad().defined());
  before.remove();
  c.backward();
  EXPECT_EQ(c.log, "early ");
  EXPECT_EQ(first(c.late.grad()), 4);
  EXPECT_EQ(first(c.early.grad()), 6);
}

TEST(LeafHooks, AccumulateAllGradientsOfConcurrentPasses) {
  constexpr int kThreads = 4, kPasses = 50;
  const Tensor shared = leaf(2), total = zeros({2});
  std::atomic<int> calls{0};
  shared.register_hook([&](const Tensor&) {
    ++calls;
    return Tensor();
  });
  shared.register_post_accumulate_grad_hook([&](const Tensor& t) {
    total.add_(t.grad());
    t.set_grad({});
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPasses; ++i) {
        const Tensor own = leaf(t + 1);
        (shared * own * 2).sum().backward();
        EXPECT_EQ(first(own.grad()), 4);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(calls, kThreads * kPasses);
  EXPECT_EQ(first(total), 2 * kPasses * (1 + 2 + 3 + 4));
  EXPECT_FALSE(shared.grad().defined());
}

TEST(LeafHooks, CanBeRegisteredAndRemovedDuringPassesOfOtherThreads) {
  std::atomic<bool> done{false};
  std::thread other([&] {
    const Tensor mine = leaf(1);
    while (!done) {
      const RemovableHandle h = mine.register_post_accumulate_grad_hook([](const Tensor&) {});
      (mine * 2).sum().backward();
      h.remove();
    }
  });
  for (int i = 0; i < 200; ++i) {
    const Tensor a = leaf(1), b = leaf(2);
    Tensor y = a * b;
    for (int k = 0; k < 10; ++k) y = y * 1 + a;
    y.sum().backward();
    EXPECT_EQ(first(a.grad()), 12);
    EXPECT_EQ(first(b.grad()), 1);
  }
  done = true;
  other.join();
}

}  // namespace
}  // namespace taper
