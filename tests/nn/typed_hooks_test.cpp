// Forward hooks with the types of forward, which receive arguments and results without conversion.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/taper.h"

namespace taper::nn {
namespace {

using taper::test::error_text;

struct Twice : Module {
  TAPER_MODULE(Twice)
  std::function<void(Twice&)> during{};
  Tensor forward(const Tensor& x) {
    if (during) during(*this);
    return x * 2;
  }
};

struct More : Twice {
  TAPER_DERIVED_MODULE(More, Twice)
  Tensor forward(const Tensor& x) { return Twice::forward(x) + 1; }
};

TEST(TypedForwardHooks, ReceiveOriginalObjectsAndCanReplaceResult) {
  Twice m;
  const Tensor x = tensor({1.f, 2.f});
  const Tensor* seen = nullptr;
  m.register_forward_hook([&](Twice& self, const Tensor& input, Tensor& result) {
    EXPECT_EQ(&self, &m);
    seen = &input;
    result = result + 1;
  });
  m.register_forward_hook([](Twice&, const Tensor&, Tensor& result) { result = result * 10; });
  const Tensor y = m(x);
  EXPECT_EQ(seen, &x);
  EXPECT_EQ(y.str(), "tensor([30., 50.])");
}

TEST(TypedForwardHooks, HookRegisteredByForwardRunsIfOthersExist) {
  for (const bool through_value : {false, true}) {
    Twice m;
    std::string log;
    m.register_forward_hook([&](Twice&, const Tensor&, Tensor&) { log += "first "; });
    m.during = [&](Twice& self) {
      self.during = nullptr;
      if (through_value)
        self.register_forward_hook([&](Module&, const Values& args, Value& result) {
          log += "value " + args[0].str();
          result = result.as_tensor() + 1;
        });
      else
        self.register_forward_hook([&](Twice&, const Tensor&, Tensor& result) {
          log += "typed";
          result = result + 1;
        });
    };
    EXPECT_EQ(m(tensor({1.f})).str(), "tensor([3.])");
    EXPECT_EQ(log, through_value ? "first value tensor([1.])" : "first typed");
  }
}

TEST(TypedForwardHooks, CanBeRemovedByForwardAndHooks) {
  Twice m;
  int calls = 0;
  RemovableHandle own;
  own = m.register_forward_hook([&](Twice&, const Tensor&, Tensor&) {
    own.remove();  // removes the list that is being run
    ++calls;
  });
  RemovableHandle second =
      m.register_forward_hook([&](Twice&, const Tensor&, Tensor&) { calls += 10; });
  m(tensor({1.f}));
  EXPECT_EQ(calls, 11);  // hooks registered when their step began have run
  m.during = [&](Twice&) { second.remove(); };
  m(tensor({1.f}));
  EXPECT_EQ(calls, 11);
}

TEST(TypedForwardHooks, ErrorContainsPathOfModule) {
  Sequential net;
  auto inner = std::make_shared<Twice>();
  net.append(inner);
  inner->register_forward_hook(
      [](Twice&, const Tensor&, Tensor&) { throw ValueError("not this one"); });
  EXPECT_EQ(error_text<ValueError>([&] {
              net(ones({2, 3}));
            }),
            "not this one\n  in 0: Twice(), called with float32 [2, 3]");
}

TEST(TypedForwardHooks, BaseAndDerivedClassHooksRunForTheirCallsOnly) {
  More m;
  int calls = 0;
  static_cast<Twice&>(m).register_forward_hook([&](Twice&, const Tensor&, Tensor&) { ++calls; });
  m.register_forward_hook([&](More&, const Tensor&, Tensor&) { calls += 10; });
  EXPECT_EQ(m(tensor({1.f})).str(), "tensor([3.])");
  EXPECT_EQ(static_cast<Twice&>(m)(tensor({1.f})).str(), "tensor([2.])");
  EXPECT_EQ(calls, 22);
}

TEST(TypedForwardHooks, CombineWithPreHooksAndBackwardHooks) {
  Twice m;
  std::string log;
  m.register_forward_hook([&](Twice&, const Tensor& x, Tensor&) { log += x.str() + " "; });
  m.register_forward_pre_hook([&](Twice&, Tensor& x) { x = x + 1; });
  m.register_full_backward_hook([&](Module&, const Values&, const Values&) { log += "backward"; });
  const Tensor x = tensor({1.f}, {.requires_grad = true});
  m(x).sum().backward();
  EXPECT_EQ(log.substr(0, 11), "tensor([2.]");
  EXPECT_TRUE(log.ends_with(" backward"));
  EXPECT_EQ(x.grad().str(), "tensor([2.])");
}

}  // namespace
}  // namespace taper::nn
