#include <thread>

#include "nets.h"
#include "taper/core/warning.h"
#include "taper/nn/global_hooks.h"

namespace {

using namespace nets;

struct Log : nn::Module {
  std::string* log = nullptr;
  bool fail = false;
  TAPER_MODULE(Log)
  Tensor forward(const Tensor& x) {
    if (log) *log += "forward ";
    if (fail) throw RuntimeError("log: failed");
    return x * 2;
  }
};

struct Hooks : testing::Test {
  Log m;
  std::string log;
  void SetUp() override { m.log = &log; }
  auto pre(std::string name) {
    return [this, name](nn::Module&, const Values&) { log += name + " "; };
  }
  auto post(std::string name) {
    return [this, name](nn::Module&, const Values&, Value&) { log += name + " "; };
  }
};

// R2.7-01, R2.7-02, R3.1-04, R3.2-03, R3.2-06, R3.2-09, R3.2-10, R1.3-04, R1.3-05, R3.3-06
TEST_F(Hooks, RunGlobalFirstThenInOrder) {
  const auto a = nn::register_module_forward_pre_hook(pre("global-pre"));
  const auto b = nn::register_module_forward_hook(post("global-fwd"));
  m.register_forward_pre_hook(pre("pre1"));
  m.register_forward_pre_hook(pre("pre2"));
  m.register_forward_hook(post("fwd1"));
  m.register_forward_hook(post("fwd0"), {.prepend = true});
  m(row(1, 2));
  EXPECT_EQ(log, "global-pre pre1 pre2 forward global-fwd fwd0 fwd1 ");
  a.remove();
  b.remove();
  log.clear();
  m(row(1, 2));
  EXPECT_EQ(log, "pre1 pre2 forward fwd0 fwd1 ");
  m.forward(row(1, 2));  // runs none
  EXPECT_EQ(log, "pre1 pre2 forward fwd0 fwd1 forward ");
}

// R1.3-09, R3.1-01, R3.1-02
TEST_F(Hooks, HandlesHaveGrowingIdsAndRemoveOnce) {
  const auto a = m.register_forward_hook(post("a"));
  const auto b = m.register_forward_pre_hook(pre("b"));
  EXPECT_EQ(b.id(), a.id() + 1);
  a.remove();
  a.remove();
  m(row(1, 2));
  EXPECT_EQ(log, "b forward ");
  HookHandle late;
  {
    Log gone;
    late = gone.register_forward_hook(post("gone"));
  }
  late.remove();
  b.remove();
  m(row(1, 2));
  EXPECT_TRUE(m.has_plain_call());  // back on the fast path
}

TEST_F(Hooks, FollowAMovedModule) {
  const auto a = m.register_forward_hook(post("a"));
  Log moved = std::move(m);
  moved(row(1, 2));
  EXPECT_EQ(log, "forward a ");
  a.remove();
  moved(row(1, 2));
  EXPECT_EQ(log, "forward a forward ");
}

// R3.3-01, R3.3-05
TEST_F(Hooks, PreHooksReplaceArguments) {
  m.register_forward_pre_hook([](nn::Module&, const Values& args) {
    return args[0].as_tensor() + 1;  // not a tuple: the only argument
  });
  m.register_forward_pre_hook([](nn::Module&, const Values& args) {
    EXPECT_EQ(args[0].as_tensor().data<float>()[0], 2);
    return Value::tuple({args[0].as_tensor() * 10});
  });
  m.register_forward_pre_hook([](nn::Module&, Values&) { return Value(); });
  m.register_forward_pre_hook([](nn::Module&, Values& args) { args[0] = args[0].as_tensor() + 5; });
  EXPECT_EQ(m(row(1, 2)).data<float>()[0], 50);
}

// R3.3-02
TEST_F(Hooks, PreHooksWithKwargs) {
  m.register_forward_pre_hook([](nn::Module&, const Values& args, const Value& kwargs) {
    EXPECT_EQ(kwargs.size(), 0u);
    return Value::tuple({Value::list({args[0].as_tensor() + 1}), kwargs});
  });
  EXPECT_EQ(m(row(1, 2)).data<float>()[0], 4);
  const auto bad = m.register_forward_pre_hook([](nn::Module&, const Values&, const Value&) {
    return Value::list({1, 2});
  });
  EXPECT_EQ(
      message_of<RuntimeError>([&] { m(row(1, 2)); }),
      "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got [1, 2].");
  bad.remove();
}

// R3.3-03, R3.3-04
TEST_F(Hooks, ForwardHooksReplaceTheResult) {
  m.register_forward_hook(
      [](nn::Module&, const Values&, Value& out) { out = out.as_tensor() + 1; });
  m.register_forward_hook(
      [](nn::Module&, const Values&, const Value& out) { return out.as_tensor() * 2; });
  m.register_forward_hook([](nn::Module&, const Values& args, const Value& kwargs, Value& out) {
    EXPECT_TRUE(kwargs.is_dict());
    out = out.as_tensor() + args[0].as_tensor();
  });
  EXPECT_EQ(m(row(1, 2)).data<float>()[0], (1 * 2 + 1) * 2 + 1);
}

TEST_F(Hooks, CanBeWrittenInTheTypesOfForward) {
  m.register_forward_pre_hook([](Log& self, Tensor& x) {
    *self.log += "typed ";
    x = x + 1;
  });
  m.register_forward_hook([](Log&, const Tensor& x, Tensor& y) { y = y + x; });
  EXPECT_EQ(m(row(1, 2)).data<float>()[0], 6);
  EXPECT_EQ(log, "typed forward ");
  nn::Module& erased = m;
  EXPECT_EQ(erased(row(1, 2)).data<float>()[0], 6);
  EXPECT_EQ(erased.call({row(1, 2)}).as_tensor().data<float>()[0], 6);
}

TEST_F(Hooks, SeeForwardsOwnDefaultsAsNone) {
  Net net;
  net.register_forward_hook([](nn::Module&, const Values& args, Value&) {
    EXPECT_EQ(args.size(), 2u);
    EXPECT_EQ(args[1].as_double(), 3);
  });
  EXPECT_EQ(net(row(1, 2), 3.f).data<float>()[0], 18);
}

// R3.1-05, R3.2-01
TEST_F(Hooks, ListsAreSnapshotsOfTheirStep) {
  HookHandle second;
  m.register_forward_pre_hook([&](nn::Module& self, const Values&) {
    second.remove();
    self.register_forward_hook(post("registered-before"));
  });
  second = m.register_forward_pre_hook(pre("second"));
  m.register_forward_hook([&](nn::Module& self, const Values&, Value&) {
    self.register_forward_hook(post("registered-during"));
  });
  m(row(1, 2));
  EXPECT_EQ(log, "second forward registered-before ");
}

// R3.3-08
TEST_F(Hooks, AnErrorInAHookEndsTheCall) {
  m.register_forward_pre_hook([](nn::Module&, const Values&) { throw ValueError("no"); });
  m.register_forward_hook(post("never"));
  EXPECT_THROW(m(row(1, 2)), ValueError);
  EXPECT_EQ(log, "");
}

// R3.3-09, R3.3-11, R3.3-12, R3.3-13
TEST_F(Hooks, AlwaysCalledOnesRunAfterFailures) {
  std::string warned;
  const auto old = set_warning_handler([&](const std::string& text) { warned = text; });
  m.fail = true;
  m.register_forward_hook(post("normal"));
  m.register_forward_hook(
      [&](nn::Module&, const Values& args, const Value& out) {
        log += "always ";
        EXPECT_EQ(args.size(), 1u);
        EXPECT_TRUE(out.is_none());
        return Value(7);
      },
      {.always_call = true});
  m.register_forward_hook(
      [&](nn::Module&, const Values&, const Value& out) {
        EXPECT_EQ(out.as_int(), 7);
        throw ValueError("second failure");
      },
      {.always_call = true});
  EXPECT_EQ(message_of<RuntimeError>([&] { m(row(1, 2)); }), "log: failed");
  EXPECT_EQ(log, "forward always ");
  EXPECT_EQ(
      warned,
      "module forward hook with ``always_call=True`` raised an exception that was silenced as "
      "another error was raised in forward: second failure");
  set_warning_handler(old);
}

TEST_F(Hooks, AlwaysCalledOnesRunOnceWithoutFailure) {
  m.register_forward_hook(post("always"), {.always_call = true});
  m(row(1, 2));
  EXPECT_EQ(log, "forward always ");
  log.clear();
  m.register_forward_hook([](nn::Module&, const Values&, Value&) { throw ValueError("late"); });
  EXPECT_THROW(m(row(1, 2)), ValueError);
  EXPECT_EQ(log, "forward always ");
}

TEST(HooksOfThreads, AnEvaluatingModuleIsCalledFromManyThreads) {
  Net net;
  net.eval();
  std::atomic<int> calls = 0;
  net.first.register_forward_hook([&](nn::Module&, const Values&, Value&) { ++calls; });
  std::vector<std::thread> threads;
  Scale fresh;  // never walked: the first call checks it
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) EXPECT_EQ(fresh(net.first(row(1, 2))).data<float>()[0], 2);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(calls, 200);
}

}  // namespace
