// pickled_module and state_dict_of: whole modules in a file, read as data.
#include "taper/io/pickled_module.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "assemble.h"
#include "load_bytes.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

std::string parameter() {
  return call("torch._utils", "_rebuild_parameter", {TensorPart{}.str(), kTrue, kNoHooks});
}

/// Returns the pickle of a module of class `cls` with the attributes that modules of every PyTorch
/// version have, and `more`, which replaces attributes of the same name.
std::string module(std::vector<std::pair<std::string, std::string>> more = {},
                   const std::string& cls = name("my.nets", "Net"), const std::string& put = "") {
  std::vector<std::pair<std::string, std::string>> all = {{"training", kTrue},
                                                          {"_parameters", dict({})},
                                                          {"_buffers", dict({})},
                                                          {"_modules", dict({})}};
  for (auto& entry : more) {
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.first == entry.first; });
    if (at == all.end())
      all.push_back(entry);
    else
      at->second = entry.second;
  }
  std::string state = "}(";
  for (const auto& [key, value] : all) state += text(key) + value;
  return cls + ")\x81" + put + state + "ub";
}

std::vector<std::string> keys(const Value& d) {
  std::vector<std::string> all;
  for (const auto& [key, value] : d.as_dict()) all.push_back(key.as_string());
  return all;
}
using Names = std::vector<std::string>;

TEST(PickledModule, DescribesModuleAsData) {
  const Value v = load_pickle_file(pickle(module(
      {{"training", kFalse},
       {"_parameters", dict({{"weight", parameter()}, {"bias", kNone}})},
       {"_buffers", dict({{"steps", TensorPart{}.str()}, {"mask", kNone}})},
       {"_non_persistent_buffers_set",
        call("__builtin__", "set", {"](" + text("steps") + text("mask") + "e"})},
       {"_forward_hooks", dict({{"a", name("my.hooks", "show")}, {"b", kNone}})},
       {"_backward_hooks", kNoHooks},
       {"_state_dict_hooks",
        dict({{"c", name("torch.nn.modules.module", "_WrappedHook") + ")\x81" +
                        dict({{"hook", name("my.hooks", "rename")}, {"with_module", kFalse}}) +
                        "b"}})},
       {"_cache", number(3)},
       {"width", number(7)},
       {"_modules", dict({{"inner", module()}, {"none", kNone}})},
       {"note", text("hello")}})));
  const auto m = pickled_module(v);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->class_name, "my.nets.Net");
  EXPECT_FALSE(m->training);
  EXPECT_EQ(keys(m->parameters), (Names{"weight", "bias"}));
  EXPECT_TRUE(m->parameters["weight"].is_parameter() && m->parameters["bias"].is_none());
  EXPECT_EQ(keys(m->buffers), (Names{"steps", "mask"}));
  EXPECT_EQ(m->non_persistent, (Names{"mask", "steps"}));
  EXPECT_EQ(keys(m->modules), (Names{"inner", "none"}));
  EXPECT_EQ(pickled_module(m->modules["inner"])->class_name, "my.nets.Net");
  EXPECT_EQ(m->attributes.repr(), "{'width': 7, 'note': 'hello'}");
  EXPECT_EQ(m->hooks, (std::vector<std::pair<std::string, std::size_t>>{{"_forward_hooks", 2},
                                                                        {"_state_dict_hooks", 1}}));
  EXPECT_EQ(m->hook_names, (Names{"my.hooks.show", "NoneType", "my.hooks.rename"}));
}

TEST(PickledModule, NamesTargetsOfHooks) {
  // The module is memo entry 0 when its state refers to it.
  const std::string self = "h" + le(0, 1);
  const std::string bound = call("__builtin__", "getattr", {self, text("log")});
  const std::string object = name("my.hooks", "Logger") + ")\x81" + dict({{"net", self}}) + "b";
  const auto partial_of = [](const std::string& f) {
    return call("functools", "partial", {f}) + tuple({f, ")", "}", kNone}) + "b";
  };
  const auto wrapped = [&](const std::string& hook) {
    return name("torch.nn.modules.module", "_WrappedHook") + ")\x81" +
           dict({{"hook", hook}, {"with_module", kTrue}, {"module", self}}) + "b";
  };
  const Value v = load_pickle_file(pickle(module(
      {{"_parameters", dict({{"w", parameter()}})},
       {"_forward_hooks", dict({{"a", bound},
                                {"b", object},
                                {"c", partial_of(name("my.hooks", "show"))},
                                {"d", partial_of(partial_of(bound))},
                                {"e", call("__builtin__", "getattr", {"]", text("append")})},
                                {"f", call("__builtin__", "getattr", {object, text("log")})}})},
       {"_load_state_dict_pre_hooks",
        dict({{"g", wrapped(name("my.hooks", "rename"))}, {"h", wrapped(bound)}})}},
      name("my.nets", "Net") + "q" + le(9, 1), "q" + le(0, 1))));
  const auto m = pickled_module(v);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->hook_names,
            (Names{"my.nets.Net.log", "my.hooks.Logger", "my.hooks.show", "my.nets.Net.log",
                   "list.append", "my.hooks.Logger.log", "my.hooks.rename", "my.nets.Net.log"}));
  EXPECT_EQ(keys(state_dict_of(v)), Names{"w"});
}

TEST(PickledModule, OptimizedModuleHasOriginalAsChild) {
  const std::string net = module({{"_parameters", dict({{"w", parameter()}})}});
  const Value v = load_pickle_file(
      pickle(call("torch._dynamo.eval_frame", "OptimizedModule",
                  {net, call("torch._dynamo.eval_frame", "OptimizeContext", {kNone})})));
  EXPECT_EQ(pickled_module(v)->class_name, "torch._dynamo.eval_frame.OptimizedModule");
  EXPECT_EQ(keys(state_dict_of(v)), Names{"_orig_mod.w"});
}

TEST(PickledModule, ReadsAttributesOfFxGraphModule) {
  const std::string attributes =
      dict({{"training", kFalse},
            {"_parameters", "}"},
            {"_buffers", "}"},
            {"_modules", dict({{"0", module({{"_parameters", dict({{"w", parameter()}})}})}})}});
  const Value v = load_pickle_file(pickle(
      call("torch.fx.graph_module", "reduce_graph_module", {attributes, text("import torch")})));
  EXPECT_FALSE(pickled_module(v)->training);
  EXPECT_EQ(keys(state_dict_of(v)), Names{"0.w"});
}

TEST(PickledModule, AcceptsModulesOfOldVersions) {
  const auto m = pickled_module(load_pickle_file(pickle(module())));
  ASSERT_TRUE(m);
  EXPECT_TRUE(m->non_persistent.empty() && m->hooks.empty() && m->hook_names.empty());
  EXPECT_EQ(m->attributes.size(), 0u);
}

TEST(PickledModule, ReturnsNulloptForOtherObjects) {
  EXPECT_FALSE(pickled_module(3));
  EXPECT_FALSE(pickled_module(Value::dict({{"_parameters", Value::dict()}})));
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"training", number(1)},
           {"_parameters", kNone},
           {"_buffers", "]"},
           {"_modules", number(4)},
           {"_parameters", "}" + number(1) + kNone + "s"},
           {"_non_persistent_buffers_set", kNone}})
    EXPECT_FALSE(pickled_module(load_pickle_file(pickle(module({{key, value}}))))) << key;
  EXPECT_FALSE(pickled_module(load_pickle_file(pickle(name("my.nets", "Net") + ")\x81"))));
}

TEST(StateDictOf, HasPythonsNamesOrderAndVersions) {
  const std::string norm = module(
      {{"_parameters", dict({{"weight", parameter()}})},
       {"_buffers", dict({{"mean", TensorPart{}.str()}, {"steps", TensorPart{}.str()}})},
       {"_non_persistent_buffers_set", call("__builtin__", "set", {"](" + text("steps") + "e"})}},
      name("torch.nn.modules.batchnorm", "BatchNorm2d"));
  const Value state = state_dict_of(load_pickle_file(pickle(
      module({{"_parameters", dict({{"scale", parameter()}, {"shift", kNone}})},
              {"_modules", dict({{"norm", norm},
                                 {"gone", kNone},
                                 {"deep", module({{"_modules", dict({{"0", norm}})}})}})}}))));
  EXPECT_EQ(keys(state),
            (Names{"scale", "norm.weight", "norm.mean", "deep.0.weight", "deep.0.mean"}));
  EXPECT_EQ(state.as_dict().class_name(), "collections.OrderedDict");
  const Value metadata = *state.as_dict().attribute("_metadata");
  EXPECT_EQ(
      metadata.repr(),
      "OrderedDict([('', {'version': 1}), ('norm', {'version': 2}), ('deep', {'version': 1}), "
      "('deep.0', {'version': 2})])");
  EXPECT_FALSE(state["scale"].is_parameter() || state["scale"].as_tensor().requires_grad());
}

TEST(StateDictOf, ReplacesModulesAnywhere) {
  const std::string net = module({{"_parameters", dict({{"w", parameter()}})}});
  const Value v = load_pickle_file(pickle(dict({{"epoch", number(3)},
                                                {"model", net},
                                                {"history", "](" + number(1) + tuple({net}) + "e"},
                                                {"plain", dict({{"w", kNone}})}})));
  const Value out = state_dict_of(v);
  EXPECT_EQ(keys(out), (Names{"epoch", "model", "history", "plain"}));
  EXPECT_EQ(keys(out["model"]), Names{"w"});
  EXPECT_EQ(keys(out["history"][1][0]), Names{"w"});
  EXPECT_EQ(&out["plain"].as_dict(), &v["plain"].as_dict()) << "nothing to replace there";
  EXPECT_TRUE(pickled_module(v["model"])) << "the value that was given stays";
  const Value none = Value::dict({{"a", 1}});
  const Value same = state_dict_of(none);
  EXPECT_EQ(&same.as_dict(), &none.as_dict());
  const Value self = Value::list();
  self.append(self);
  const Value still = state_dict_of(self);
  EXPECT_EQ(&still.as_list(), &self.as_list());
  self.as_list().clear();
}

TEST(StateDictOf, RejectsInvalidModuleTrees) {
  const auto rejected = [](const std::string& child) {
    return error_text([&] {
      state_dict_of(load_pickle_file(pickle(module({{"_modules", dict({{"a", child}})}}))));
    });
  };
  EXPECT_EQ(rejected(number(3)), "state_dict_of: child 'a' is not a module: got int");
  // The modules are nested a thousand levels deep and have names of a thousand characters.
  const std::string head = name("my.nets", "Net") + ")\x81}(" + text("training") + kTrue +
                           text("_parameters") + "}" + text("_buffers") + "}" + text("_modules") +
                           "}X" + le(1000, 4) + std::string(1000, 'x');
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += head;
  deep += kNone;
  for (int i = 0; i < 1000; ++i) deep += "sub";
  EXPECT_TRUE(
      contains(error_text([&] { state_dict_of(load_pickle_file(pickle(deep))); }), "exceed 64 MB"));
}

}  // namespace
}  // namespace taper
