// Hooks of state_dict and load_state_dict.
#include "hook_nets.h"

namespace {

using namespace nets;

struct Tree : nn::Module {
  Scale a{1}, b{2};
  nn::Parameter own{zeros({1})};
  TAPER_MODULE(Tree, a, b, own)
  Tensor forward(const Tensor& x) { return x; }
};

struct StateHooks : testing::Test {
  Tree m;
  std::string log;
};

// R5.1-03, R5.1-06, R5.1-09, R2.6-01
TEST_F(StateHooks, RunAroundSavingOfChildren) {
  const auto hook = [&](nn::Module& module, const char* name) {
    module.register_state_dict_pre_hook([this, name](nn::Module&, std::string_view prefix,
                                                     bool keep_vars) {
      log +=
          std::string("pre ") + name + "'" + std::string(prefix) + "'" + (keep_vars ? "k " : " ");
    });
    module.register_state_dict_post_hook(
        [this, name](nn::Module&, const Value& destination, std::string_view prefix, const Value&) {
          log += std::string("post ") + name + "'" + std::string(prefix) + "'" +
                 std::to_string(destination.size()) + " ";
        });
  };
  hook(m, "m"), hook(m.a, "a"), hook(m.b, "b");
  m.state_dict({.prefix = "p."});
  EXPECT_EQ(log, "pre m'p.' pre a'p.a.' post a'p.a.'3 pre b'p.b.' post b'p.b.'5 post m'p.'5 ");
  log.clear();
  m.a.state_dict({.keep_vars = true});
  EXPECT_EQ(log, "pre a''k post a''2 ");
}

// R5.1-02, R5.1-06
TEST_F(StateHooks, CanChangeSavedEntriesAndMetadata) {
  m.a.register_state_dict_post_hook(
      [](nn::Module&, const Value& destination, std::string_view prefix, const Value& metadata) {
        destination[std::string(prefix) + "more"] = 1;
        destination.as_dict().erase(std::string(prefix) + "mean");
        metadata["note"] = "extended";
      });
  const Value state = m.state_dict();
  EXPECT_EQ(keys(state), "own a.weight a.more b.weight b.mean");
  EXPECT_EQ(state.as_dict().attribute("_metadata")->repr(),
            "OrderedDict([('', {'version': 1}), ('a', {'version': 1, 'note': 'extended'}), ('b', "
            "{'version': 1})])");
}

// R5.1-03: the result of a pre-hook is ignored.
TEST_F(StateHooks, ResultOfPreHookIsIgnored) {
  m.register_state_dict_pre_hook([](nn::Module&, std::string_view, bool) { return 5; });
  EXPECT_EQ(m.state_dict().size(), 5u);
}

// R5.1-06: hooks return void as a rule in C++; the result of one that returns a Value is checked.
TEST_F(StateHooks, PostHooksMustReturnNone) {
  const auto none = m.register_state_dict_post_hook(
      [](nn::Module&, const Value&, std::string_view, const Value&) { return Value(); });
  EXPECT_NO_THROW(m.state_dict());
  m.register_state_dict_post_hook([](nn::Module&, const Value& destination, std::string_view,
                                     const Value&) { return destination; });
  EXPECT_EQ(error_message<RuntimeError>([&] { m.state_dict(); }),
            "state_dict post-hook must return None");
}

// R5.1-07
TEST_F(StateHooks, ReplacingHooksApplyToRootOnly) {
  const auto replace = [](nn::Module&, const Value& destination, std::string_view, const Value&) {
    return Value::dict({{"instead of", destination.size()}});
  };
  m.a.register_state_dict_replacing_hook(replace);
  EXPECT_EQ(keys(m.state_dict()), "own a.weight a.mean b.weight b.mean");
  EXPECT_EQ(m.a.state_dict().repr(), "{'instead of': 2}");
  m.a.register_state_dict_post_hook(  // receives the result of the previous hook
      [&](nn::Module&, const Value& destination, std::string_view, const Value&) {
        log = destination.repr();
      });
  EXPECT_EQ(m.a.state_dict().repr(), "{'instead of': 2}");
  EXPECT_EQ(log, "{'instead of': 2}");
}

// R5.2-09, R5.2-02, R2.6-01
TEST_F(StateHooks, LoadPreHooksCanChangeStateAndMetadata) {
  m.a.register_load_state_dict_pre_hook([&](nn::Module& module, nn::LoadState& s) {
    EXPECT_EQ(&module, &m.a);
    log += std::string(s.prefix) + keys(Value(s.state.copy())) + s.metadata.repr();
    s.state.set(s.key("weight"), *std::as_const(s.state).find(s.key("w")));
    s.state.erase(s.key("w"));
    s.metadata["version"] = 9;
  });
  m.a.register_load_state_dict_pre_hook(
      [&](nn::Module&, nn::LoadState& s) { log += s.metadata.repr(); });
  Value file = m.state_dict();
  file["a.w"] = row(8, 9);
  file.as_dict().erase("a.weight");
  EXPECT_TRUE(m.load_state_dict(file).empty());
  EXPECT_EQ(log, "a.a.mean a.w{'version': 1}{'version': 9}");
  EXPECT_EQ(m.a.weight.data<float>()[1], 9);
  EXPECT_TRUE(file.contains("a.w"));  // the dict of the caller is not modified
  EXPECT_FALSE(file.contains("a.weight"));
}

// R5.2-09
TEST_F(StateHooks, LoadPreHooksCanAddErrorsAndKeys) {
  m.b.register_load_state_dict_pre_hook([](nn::Module&, nn::LoadState& s) {
    s.errors.push_back("not this one");
    s.missing_keys.push_back("made up");
    s.unexpected_keys.push_back("too much");
  });
  const Value file = m.state_dict();
  EXPECT_EQ(error_text<RuntimeError>([&] { m.load_state_dict(file); }),
            "Error(s) in loading state_dict for Tree:\n"
            "\tMissing key(s) in state_dict: \"made up\". \n"
            "\tUnexpected key(s) in state_dict: \"too much\". \n"
            "\tnot this one");
}

// R5.2-05
TEST_F(StateHooks, ChangesByParentReachChildrenOnly) {
  Value file = m.state_dict();
  file.as_dict().erase("a.weight");
  file.as_dict().erase("b.weight");
  m.register_load_state_dict_pre_hook(
      [](nn::Module&, nn::LoadState& s) { s.state.set("a.weight", row(5, 5)); });
  m.a.register_load_state_dict_pre_hook([](nn::Module&, nn::LoadState& s) {
    EXPECT_EQ(keys(Value(s.state.copy())), "a.mean a.weight");
    s.state.set("b.weight", row(6, 6));  // for another module, and too late to have an effect
  });
  const auto result = m.load_state_dict(file, {.strict = false});
  EXPECT_EQ(m.a.weight.data<float>()[0], 5);
  EXPECT_EQ(result.str(), "_IncompatibleKeys(missing_keys=['b.weight'], unexpected_keys=[])");
}

// R5.2-05
TEST(LoadStateDictOfSharedModules, RequiresBothSetsOfKeys) {
  Identity m;
  const auto shared = std::make_shared<Scale>();
  m.register_module("a", shared);
  m.register_module("b", shared);
  const Value file =
      Value::dict({{"a.weight", row(1, 1)}, {"b.weight", row(2, 2)}, {"b.mean", row(0, 0)}});
  EXPECT_EQ(m.load_state_dict(file, {.strict = false}).missing_keys.at(0), "a.mean");
  EXPECT_EQ(shared->weight.data<float>()[0], 2);  // the later entry was copied last
}

// R5.2-06, R5.2-04
TEST_F(StateHooks, LoadPostHooksReceiveMutableKeyLists) {
  Value file = m.state_dict();
  file.as_dict().erase("a.mean");
  file.as_dict().erase("b.mean");
  file["b.other"] = row(1, 1);
  const auto note = [&](const char* name) {
    return [this, name](nn::Module&, nn::IncompatibleKeys& keys) {
      log += std::string(name) + " " + keys.str() + "\n";
    };
  };
  m.register_load_state_dict_post_hook(note("m"));
  m.a.register_load_state_dict_post_hook(note("a"));
  m.b.register_load_state_dict_post_hook(note("b"));
  EXPECT_THROW(m.load_state_dict(file), RuntimeError);
  EXPECT_EQ(log,
            "a _IncompatibleKeys(missing_keys=['a.mean'], unexpected_keys=[])\n"
            "b _IncompatibleKeys(missing_keys=['a.mean', 'b.mean'], unexpected_keys=['b.other'])\n"
            "m _IncompatibleKeys(missing_keys=['a.mean', 'b.mean'], "
            "unexpected_keys=['b.other'])\n");
  m.register_load_state_dict_post_hook([](nn::Module&, nn::IncompatibleKeys& keys) {
    keys.missing_keys.clear();
    keys.unexpected_keys.clear();
  });
  EXPECT_TRUE(m.load_state_dict(file).empty());
  m.register_load_state_dict_post_hook([](nn::Module&, nn::IncompatibleKeys&) { return Value(1); });
  EXPECT_EQ(error_message<AssertionError>([&] { m.load_state_dict(file); }),
            "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
            "return new values, if incompatible_keys need to be modified, it should be done "
            "inplace.");
}

// R5.2-06
TEST_F(StateHooks, LoadPostHooksRunAfterLoading) {
  Value file = Value::dict({{"own", ones({1})},
                            {"a.weight", row(3, 3)},
                            {"a.mean", row(0, 0)},
                            {"b.weight", row(4, 4)},
                            {"b.mean", row(0, 0)}});
  m.a.register_load_state_dict_post_hook([&](nn::Module&, nn::IncompatibleKeys&) {
    log += std::to_string(static_cast<int>(m.a.weight.data<float>()[0])) + " ";
  });
  m.load_state_dict(file);
  EXPECT_EQ(log, "3 ");
  file["a.weight"] = row(7, 7);
  file["b.weight"] = ones({5});
  EXPECT_THROW(m.load_state_dict(file), RuntimeError);
  EXPECT_EQ(log, "3 7 ");
  EXPECT_EQ(m.a.weight.data<float>()[0], 3);  // the value was restored after the failure
}

// R3.1-02
TEST_F(StateHooks, AreRemovedByTheirHandles) {
  const RemovableHandle handles[] = {
      m.register_state_dict_pre_hook([&](nn::Module&, std::string_view, bool) { log += "1"; }),
      m.register_state_dict_post_hook(
          [&](nn::Module&, const Value&, std::string_view, const Value&) { log += "2"; }),
      m.register_load_state_dict_pre_hook([&](nn::Module&, nn::LoadState&) { log += "3"; }),
      m.register_load_state_dict_post_hook(
          [&](nn::Module&, nn::IncompatibleKeys&) { log += "4"; })};
  m.load_state_dict(m.state_dict());
  EXPECT_EQ(log, "1234");
  for (const RemovableHandle& h : handles) h.remove();
  m.load_state_dict(m.state_dict());
  EXPECT_EQ(log, "1234");
}

}  // namespace
