#include <thread>

#include "hook_nets.h"
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
  m.forward(row(1, 2));  // runs no hooks
  EXPECT_EQ(log, "pre1 pre2 forward fwd0 fwd1 forward ");
}

// R1.3-09, R3.1-01, R3.1-02
TEST_F(Hooks, HandlesHaveIncreasingIdsAndRemoveOnce) {
  const auto a = m.register_forward_hook(post("a"));
  const auto b = m.register_forward_pre_hook(pre("b"));
  EXPECT_EQ(b.id(), a.id() + 1);
  a.remove();
  a.remove();
  m(row(1, 2));
  EXPECT_EQ(log, "b forward ");
  RemovableHandle late;
  {
    Log gone;
    late = gone.register_forward_hook(post("gone"));
  }
  late.remove();
  b.remove();
  m(row(1, 2));
  EXPECT_TRUE(nn::detail::ModuleAccess::can_call_directly(m));  // the fast path is used again
}

TEST_F(Hooks, FollowMovedModule) {
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
    return args[0].as_tensor() + 1;  // a result other than a tuple replaces the only argument
  });
  m.register_forward_pre_hook([](nn::Module&, const Values& args) {
    EXPECT_EQ(args[0].as_tensor().data<float>()[0], 2);
    return Value::tuple({args[0].as_tensor() * 10});
  });
  m.register_forward_pre_hook([](nn::Module&, Values&) { return Value(); });
  m.register_forward_pre_hook([](nn::Module&, Values& args) { args[0] = args[0].as_tensor() + 5; });
  EXPECT_EQ(m(row(1, 2)).flatten()[0].item<float>(), 50);
}

// R3.3-02
TEST_F(Hooks, PreHooksReceiveKwargs) {
  m.register_forward_pre_hook([](nn::Module&, const Values& args, const Value& kwargs) {
    EXPECT_EQ(kwargs.size(), 0u);
    return Value::tuple({Value::list({args[0].as_tensor() + 1}), kwargs});
  });
  EXPECT_EQ(m(row(1, 2)).flatten()[0].item<float>(), 4);
  const auto bad = m.register_forward_pre_hook([](nn::Module&, const Values&, const Value&) {
    return Value::list({1, 2});
  });
  EXPECT_EQ(
      error_message<RuntimeError>([&] { m(row(1, 2)); }),
      "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got [1, 2].");
  bad.remove();
}

// R3.3-03, R3.3-04
TEST_F(Hooks, ForwardHooksReplaceResult) {
  m.register_forward_hook(
      [](nn::Module&, const Values&, Value& out) { out = out.as_tensor() + 1; });
  m.register_forward_hook(
      [](nn::Module&, const Values&, const Value& out) { return out.as_tensor() * 2; });
  m.register_forward_hook([](nn::Module&, const Values& args, const Value& kwargs, Value& out) {
    EXPECT_TRUE(kwargs.is_dict());
    out = out.as_tensor() + args[0].as_tensor();
  });
  EXPECT_EQ(m(row(1, 2)).flatten()[0].item<float>(), (1 * 2 + 1) * 2 + 1);
}

TEST_F(Hooks, SupportTypesOfForward) {
  m.register_forward_pre_hook([](Log& self, Tensor& x) {
    *self.log += "typed ";
    x = x + 1;
  });
  m.register_forward_hook([](Log&, const Tensor& x, Tensor& y) { y = y + x; });
  EXPECT_EQ(m(row(1, 2)).flatten()[0].item<float>(), 6);
  EXPECT_EQ(log, "typed forward ");
  nn::Module& erased = m;
  EXPECT_EQ(erased(row(1, 2)).flatten()[0].item<float>(), 6);
  EXPECT_EQ(erased.call({row(1, 2)}).as_tensor().flatten()[0].item<float>(), 6);
}

TEST_F(Hooks, DefaultsOfForwardAreOmittedFromArguments) {
  Net net;
  net.register_forward_hook([](nn::Module&, const Values& args, Value&) {
    EXPECT_EQ(args.size(), 2u);
    EXPECT_EQ(args[1].as_double(), 3);
  });
  EXPECT_EQ(net(row(1, 2), 3.f).flatten()[0].item<float>(), 18);
}

// R3.1-05, R3.2-01
TEST_F(Hooks, ListsAreSnapshotsOfTheirStep) {
  RemovableHandle second;
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
TEST_F(Hooks, ErrorInHookEndsCall) {
  m.register_forward_pre_hook([](nn::Module&, const Values&) { throw ValueError("no"); });
  m.register_forward_hook(post("never"));
  EXPECT_THROW(m(row(1, 2)), ValueError);
  EXPECT_EQ(log, "");
}

// R3.3-09, R3.3-11, R3.3-12, R3.3-13
TEST_F(Hooks, AlwaysCalledHooksRunAfterFailures) {
  const WarningCapture warnings;
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
  EXPECT_EQ(error_message<RuntimeError>([&] { m(row(1, 2)); }), "log: failed");
  EXPECT_EQ(log, "forward always ");
  EXPECT_EQ(
      warnings.last(),
      "module forward hook with ``always_call=True`` raised an exception that was silenced as "
      "another error was raised in forward: second failure");
}

// R3.3-10, R3.3-11, R3.3-12
TEST_F(Hooks, AlwaysCalledGlobalHooksRunFirstWithoutKwargs) {
  const WarningCapture warnings;
  TakesKwargs m;
  const auto always = [&](std::string name) {
    return [this, name](nn::Module&, const Values&, const Value& kwargs, const Value& out) {
      log += name + kwargs.repr() + out.repr() + " ";
      return Value(1);
    };
  };
  const RemovableHandle global[] = {
      nn::register_module_forward_hook(always("global"), {.always_call = true}),
      nn::register_module_forward_hook(
          [](nn::Module&, const Values&, Value&) { throw ValueError("no"); },
          {.always_call = true})};
  m.register_forward_hook(always("own"), {.always_call = true});
  m.register_forward_pre_hook([](nn::Module&, const Values&) { throw KeyError("first"); });
  EXPECT_EQ(error_message<KeyError>([&] { m.call({1}, Value::dict({{"z", 2}})); }), "first");
  EXPECT_EQ(log, "global{}None own{'z': 2}1 ");
  EXPECT_EQ(warnings.last(),
            "global module forward hook with ``always_call=True`` raised an exception that was "
            "silenced as another error was raised in forward: no");
  for (const RemovableHandle& h : global) h.remove();
}

// R3.3-13
TEST_F(Hooks, AlwaysCalledHookThatFailsIsNotRepeated) {
  m.register_forward_hook(
      [&](nn::Module&, const Values&, Value&) {
        log += "fails ";
        throw ValueError("itself");
      },
      {.always_call = true});
  m.register_forward_hook(post("after"), {.always_call = true});
  EXPECT_EQ(error_message<ValueError>([&] { m(row(1, 2)); }), "itself");
  EXPECT_EQ(log, "forward fails after ");
}

// R3.3-13
TEST_F(Hooks, AlwaysCalledHooksRunOnceWithoutFailure) {
  m.register_forward_hook(post("always"), {.always_call = true});
  m(row(1, 2));
  EXPECT_EQ(log, "forward always ");
  log.clear();
  m.register_forward_hook([](nn::Module&, const Values&, Value&) { throw ValueError("late"); });
  EXPECT_THROW(m(row(1, 2)), ValueError);
  EXPECT_EQ(log, "forward always ");
}

// R3.2-05, R3.3-02, R3.3-04, R3.3-05: keyword arguments exist in the erased call only.
TEST_F(Hooks, OnlyHooksWithKwargsReceiveKwargs) {
  TakesKwargs m;
  m.register_forward_pre_hook([&](nn::Module&, const Values& args, const Value& kwargs) {
    log += kwargs.repr();
    return Value::tuple({Value::tuple(args), Value::dict({{"z", row(5, 5)}})});
  });
  m.register_forward_pre_hook(
      [&](nn::Module&, const Values& args) { log += std::to_string(args.size()); });
  m.register_forward_hook(
      [&](nn::Module&, const Values&, const Value& kwargs, const Value&) { log += kwargs.repr(); });
  const Value ys = Value::list({row(0, 0)});
  const Value out = m.call({row(1, 1), ys}, Value::dict({{"z", row(2, 2)}}));
  EXPECT_EQ(log, "{'z': tensor([2., 2.])}2{'z': tensor([5., 5.])}");
  EXPECT_EQ(out.as_tensor().data<float>()[0], 6);
}

TEST_F(Hooks, KwargsAreCopiedForCall) {
  TakesKwargs m;
  m.register_forward_pre_hook(
      [&](nn::Module&, const Values&, Value& kwargs) { kwargs["z"] = row(5, 5); });
  const Value given = Value::dict({{"z", row(2, 2)}});
  EXPECT_EQ(
      m.call({row(1, 1), Value::list({row(0, 0)})}, given).as_tensor().flatten()[0].item<float>(),
      6);
  EXPECT_EQ(given["z"].as_tensor().flatten()[0].item<float>(), 2);
  EXPECT_THROW(m.call({row(1, 1)}, Value::list()), TypeError);
}

// R3.3-03
TEST_F(Hooks, AnyValueReplacesResultOfErasedCall) {
  m.register_forward_hook([](nn::Module&, const Values&, const Value&) { return Value(false); });
  EXPECT_EQ(m.call({row(1, 2)}).repr(), "False");
  EXPECT_THROW(m(row(1, 2)), TypeError);  // a typed call requires the result type of forward
}

// R3.2-01
TEST_F(Hooks, HooksRegisteredByPlainForwardRunInNextCall) {
  Apply plain;
  plain.function = [&](const Tensor& t) {
    plain.register_forward_hook(post("late"));
    return t;
  };
  plain(row(1, 2));
  EXPECT_EQ(log, "");
  plain(row(1, 2));
  EXPECT_EQ(log, "late late ");  // R3.2-06: including the hook registered by this forward
}

// R3.2-06
TEST_F(Hooks, FirstHookRegisteredByForwardRunsIfCallHasOtherHooks) {
  Apply hooked;
  hooked.function = [&](const Tensor& t) {
    hooked.register_forward_hook(post("late"));
    return t;
  };
  hooked.call({row(1, 2)});
  EXPECT_EQ(log, "");
  Apply other = std::move(hooked);
  EXPECT_EQ(other.hooks(nn::HookKind::forward).hooks.size(), 1u);
  Apply watched;
  watched.function = [&](const Tensor& t) {
    watched.register_forward_hook(post("late"));
    return t;
  };
  const HookGuard global(nn::register_module_forward_pre_hook([](nn::Module&, const Values&) {}));
  watched(row(1, 2));
  EXPECT_EQ(log, "late ");
}

// R3.2-01
TEST_F(Hooks, StateDictHooksDoNotSlowCall) {
  m(row(1, 2));
  m.register_state_dict_pre_hook([](nn::Module&, std::string_view, bool) {});
  m.register_load_state_dict_pre_hook([](nn::Module&, nn::LoadState&) {});
  EXPECT_TRUE(nn::detail::ModuleAccess::can_call_directly(m));
  m.register_full_backward_pre_hook([](nn::Module&, const Values&) {});
  EXPECT_FALSE(nn::detail::ModuleAccess::can_call_directly(m));
}

// R3.1-03
TEST_F(Hooks, GuardRemovesHookAtEndOfScope) {
  {
    const HookGuard guard(m.register_forward_hook(post("scoped")));
    m(row(1, 2));
  }
  m(row(1, 2));
  EXPECT_EQ(log, "forward scoped forward ");
}

// R1.1-05, R1.1-06, R1.1-07, R1.1-08, R1.1-09, R1.1-10, R1.1-11, R1.1-12, R1.1-13, R1.1-14,
// R1.1-15, R1.1-16
TEST(HookMaps, ListRegisteredHooks) {
  using enum nn::HookKind;
  Net m;
  for (nn::HookKind kind : {forward_pre, forward, backward_pre, backward, state_dict_pre,
                            state_dict, load_state_dict_pre, load_state_dict_post}) {
    EXPECT_TRUE(m.hooks(kind).hooks.empty());
    EXPECT_EQ(m.hooks(kind).str(), "OrderedDict()");
  }
  EXPECT_FALSE(m.is_full_backward_hook().has_value());
  const auto pre = [](nn::Module&, const Values&, const Value&) {};
  const auto post = [](nn::Module&, const Values&, const Value&, Value&) {};
  const auto a = m.register_forward_pre_hook([](nn::Module&, const Values&) {});
  m.register_forward_pre_hook(pre, {.prepend = true});
  const auto b = m.register_forward_hook(post);
  m.register_forward_hook([](nn::Module&, const Values&, Value&) {}, {.always_call = true});
  m.register_full_backward_pre_hook([](nn::Module&, const Values&) {});
  m.register_backward_hook([](nn::Module&, const Values&, const Values&) {});
  m.register_state_dict_pre_hook([](nn::Module&, std::string_view, bool) {});
  m.register_state_dict_post_hook([](nn::Module&, const Value&, std::string_view, const Value&) {});
  m.register_load_state_dict_pre_hook([](nn::Module&, nn::LoadState&) {});
  m.register_load_state_dict_post_hook([](nn::Module&, nn::IncompatibleKeys&) {});
  const auto id = [&](int further) {
    return std::to_string(a.id() + static_cast<unsigned>(further));
  };
  EXPECT_EQ(m.hooks(forward_pre).str(), "OrderedDict([(" + id(1) +
                                            ", <forward pre-hook, with_kwargs>), (" + id(0) +
                                            ", <forward pre-hook>)])");
  EXPECT_EQ(m.hooks(forward).str(), "OrderedDict([(" + id(2) + ", <forward hook, with_kwargs>), (" +
                                        id(3) + ", <forward hook, always_call>)])");
  EXPECT_EQ(m.hooks(backward_pre).str(), "OrderedDict([(" + id(4) + ", <backward pre-hook>)])");
  EXPECT_EQ(m.hooks(backward).str(), "OrderedDict([(" + id(5) + ", <backward hook>)])");
  EXPECT_EQ(m.is_full_backward_hook(), false);
  EXPECT_EQ(m.hooks(state_dict_pre).hooks.at(0).id, a.id() + 6);
  EXPECT_EQ(m.hooks(state_dict).hooks.at(0).id, a.id() + 7);
  EXPECT_EQ(m.hooks(load_state_dict_pre).hooks.at(0).id, a.id() + 8);
  EXPECT_EQ(m.hooks(load_state_dict_post).hooks.at(0).id, a.id() + 9);
  a.remove(), b.remove();
  EXPECT_EQ(m.hooks(forward_pre).hooks.size(), 1u);
  EXPECT_FALSE(m.hooks(forward).hooks.at(0).with_kwargs);
  EXPECT_TRUE(m.first.hooks(forward).hooks.empty());
  EXPECT_EQ(m.clone().hooks(forward).str(), m.hooks(forward).str());
}

TEST(HooksInThreads, RunInEvaluatingModule) {
  Net net;
  net.eval();
  std::atomic<int> calls = 0;
  net.first.register_forward_hook([&](nn::Module&, const Values&, Value&) { ++calls; });
  std::vector<std::thread> threads;
  Scale fresh;  // its members are checked in the first call
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k)
        EXPECT_EQ(fresh(net.first(row(1, 2))).flatten()[0].item<float>(), 2);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(calls, 200);
}

/// Module with a forward without side effects, which threads can call concurrently.
struct Shared : nn::Module {
  Scale first{2}, second{3};
  TAPER_MODULE(Shared, first, second)
  Tensor forward(Tensor x, float scale = 1, std::optional<Tensor> mask = {}) {
    x = second(first(x)) * scale;
    return mask ? x * *mask : x;
  }
};

TEST(HooksInThreads, AllKindsRunConcurrently) {
  Shared net;
  net.eval();
  net.requires_grad_(false);
  std::atomic<int> before = 0, after = 0, backward = 0, everywhere = 0;
  const HookGuard global(nn::register_module_forward_hook(
      [&](nn::Module&, const Values&, const Value&) { ++everywhere; }));
  net.register_forward_pre_hook([&](nn::Module&, Values& args) {
    args[0] = args[0].as_tensor() + 1;
    ++before;
  });
  net.register_forward_hook(
      [&](Shared&, const Tensor&, float, const std::optional<Tensor>&, Tensor& y) {
        y = y * 2;
        ++after;
      });
  net.first.register_full_backward_hook(
      [&](nn::Module&, const Values&, const Values&) { ++backward; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 25; ++k) {
        const Tensor x = leaf(1, 2);
        const Tensor y = net(x, 1.f, std::nullopt);
        EXPECT_EQ(y.data<float>()[0], 24);
        y.sum().backward();
        EXPECT_EQ(x.grad().data<float>()[1], 12);
        const NoGrad guard;
        EXPECT_EQ(net.call({row(0, 0), 1}).as_tensor().flatten()[0].item<float>(), 12);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(before, 200);
  EXPECT_EQ(after, 200);
  EXPECT_EQ(backward, 100);
  EXPECT_EQ(everywhere, 600);
}

}  // namespace
