// Reference cycles of objects: modules in lists of their children, and bound methods as hooks.
#include <gtest/gtest.h>

#include "assemble.h"
#include "io/pickle/cycles.h"
#include "load_bytes.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/pickled_module.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;

std::string put(int i) { return "q" + le(static_cast<std::uint64_t>(i), 1); }
std::string get(int i) { return "h" + le(static_cast<std::uint64_t>(i), 1); }
/// Returns the pickle of an object with a state, to which later parts can refer as memo entry `i`.
std::string object(const char* cls, int i, const std::string& state) {
  return name("my.nets", cls) + ")\x81" + put(i) + state + "b";
}
/// Returns the pickle of the attributes of a module. `more` are further entries of the dict.
std::string module_state(const std::string& modules, const std::string& more = "",
                         const std::string& parameters = "}") {
  return "}(" + text("training") + kTrue + text("_parameters") + parameters + text("_buffers") +
         "}" + text("_modules") + modules + more + "u";
}
std::string weight() {
  return dict(
      {{"w", call("torch._utils", "_rebuild_parameter", {TensorPart{}.str(), kTrue, kNoHooks})}});
}

bool is_stand_in_of(const Value& v, const Value& object) {
  const Values* const by =
      v.kind() == Value::Kind::opaque ? io::placeholder_target(v.as_opaque()) : nullptr;
  return by && by == &object.as_opaque().arguments.as_tuple();
}

TEST(Cycles, ObjectInItsOwnStateBecomesPlaceholder) {
  const Value v = load_pickle(pickle(object("Node", 0, dict({{"me", get(0)}, {"n", number(7)}}))));
  const Value me = v.as_opaque().state["me"];
  EXPECT_EQ(me.str(), "<Node object>");
  EXPECT_TRUE(me.as_opaque().arguments.is_none() && me.as_opaque().is_new);
  EXPECT_TRUE(is_stand_in_of(me, v));
  EXPECT_FALSE(io::placeholder_target(v.as_opaque()));
  EXPECT_EQ(v.as_opaque().state["n"].as_int(), 7);
}

TEST(Cycles, ParentsOfModulesBecomePlaceholders) {
  const auto child_with = [](const std::string& parent) {
    return load_pickle(pickle(object(
        "Parent", 0,
        module_state(
            dict({{"child",
                   object("Child", 1, module_state("}", text("parent") + parent, weight()))}}),
            "", weight()))));
  };
  for (const std::string& parent :
       {get(0), "]" + get(0) + "a", tuple({get(0)}), dict({{"p", get(0)}}), "}" + get(0) + "K\1s",
        call("__builtin__", "set", {"]" + get(0) + "a"}), object("Plain", 2, dict({{"p", get(0)}})),
        call("__builtin__", "getattr", {get(0), text("step")}),
        call("__builtin__", "frozenset", {"](" + tuple({get(0)}) + number(1) + "e"})}) {
    const Value v = child_with(parent);
    std::vector<std::string> names;
    const Value state = state_dict_of(v);
    for (const auto& [key, tensor] : state.as_dict()) names.push_back(key.as_string());
    EXPECT_EQ(names, (std::vector<std::string>{"w", "child.w"}));
    EXPECT_EQ(save_to_bytes(save_and_load(v)), save_to_bytes(v));
    EXPECT_EQ(pickled_module(save_and_load(v))->class_name, "my.nets.Parent");
  }
}

// The pickle contains the grandchild before its parent, the child of the outermost module: a hook
// of that module refers to the grandchild, which refers to its parent.
TEST(Cycles, StateDictContainsChildReadBeforeItsParent) {
  const std::string child =
      object("Child", 1,
             module_state("}",
                          text("parent") + "]" +
                              object("Parent", 2, module_state(dict({{"child", get(1)}}))) + "a",
                          weight()));
  const Value v = load_pickle(pickle(
      name("my.nets", "Whole") + ")\x81" + "}(" + text("training") + kTrue +
      text("_forward_hooks") + dict({{"0", call("__builtin__", "getattr", {child, text("f")})}}) +
      text("_parameters") + "}" + text("_buffers") + "}" + text("_modules") +
      dict({{"p", get(2)}}) + "ub"));
  const Value state = state_dict_of(v);
  ASSERT_EQ(state.size(), 1u);
  EXPECT_EQ(state.as_dict().entries()[0].first.as_string(), "p.child.w");
  // Modules that are children of each other do not have a state dict.
  const std::string inner = object("B", 1, module_state(dict({{"a", get(0)}})));
  const Value endless = load_pickle(pickle(object("A", 0, module_state(dict({{"b", inner}})))));
  EXPECT_TRUE(contains(error_text([&] { state_dict_of(endless); }),
                       "names of nested modules and tensors exceed 64 MB"));
}

TEST(Cycles, MutualReferencesAreReadFromEitherObject) {
  const Value v = load_pickle(pickle(
      "](" + object("A", 0, dict({{"b", object("B", 1, dict({{"a", get(0)}}))}})) + get(1) + "e"));
  EXPECT_TRUE(is_stand_in_of(v[0].as_opaque().state["b"].as_opaque().state["a"], v[0]));
  EXPECT_EQ(&v[0].as_opaque().state["b"].as_opaque(), &v[1].as_opaque());
  const Value written = save_and_load(v);
  EXPECT_TRUE(is_stand_in_of(written[1].as_opaque().state["a"], written[0]));
}

TEST(Cycles, ReferencesToOneObjectShareOnePlaceholder) {
  const std::string plain = name("my.nets", "Node") + ")\x81";
  const Value v = load_pickle(pickle(object(
      "Node", 0, dict({{"a", get(0)}, {"b", "](" + get(0) + get(0) + "e"}, {"other", plain}}))));
  const Value& state = v.as_opaque().state;
  EXPECT_EQ(&state["a"].as_opaque(), &state["b"][1].as_opaque());
  EXPECT_FALSE(io::placeholder_target(state["other"].as_opaque()));
  const Value other = save_and_load(v).as_opaque().state["other"];
  EXPECT_TRUE(other.as_opaque().arguments.is_tuple());
}

// Checks that a dict finds its entries after a placeholder has replaced one of its keys.
TEST(Cycles, FindsReplacedKeys) {
  std::string entries = "}(" + get(0) + "K\1";
  for (int i = 0; i < 20; ++i) entries += number(i) + number(2 * i);
  const Value v = load_pickle(pickle(object("Node", 0, dict({{"seen", entries + "u"}}))));
  const Value seen = v.as_opaque().state["seen"];
  ASSERT_EQ(seen.size(), 21u);
  EXPECT_EQ(seen[17].as_int(), 34);
  EXPECT_EQ(seen[seen.as_dict().entries()[0].first].as_int(), 1);
}

TEST(Cycles, RejectsCyclesOfListsAndDicts) {
  for (const std::string& body :
       {"]" + put(0) + get(0) + "a", "}" + put(0) + text("a") + get(0) + "s",
        kNoHooks + put(0) + dict({{"me", get(0)}}) + "b",
        "]" + put(0) + object("Node", 1, dict({{"all", get(0)}})) + "a",
        // An object with arguments cannot be replaced by a placeholder.
        name("my.nets", "Node") + tuple({number(1)}) + "\x81" + put(0) + dict({{"me", get(0)}}) +
            "b"})
    EXPECT_TRUE(
        contains(error_text([&] { load_pickle(pickle(body)); }), "a value contains itself"));
}

TEST(Cycles, BreaksCyclesOfDiscardedValues) {
  EXPECT_EQ(load_pickle(pickle(object("Node", 0, dict({{"me", get(0)}})) + "0K\5")).as_int(), 5);
}

TEST(Cycles, RejectsPlaceholderWithoutItsObject) {
  const Value v = load_pickle(pickle(object("Node", 0, dict({{"me", get(0)}}))));
  const Value part = Value::dict({{"x", v.as_opaque().state["me"]}});
  EXPECT_TRUE(contains(error_text([&] { save_to_bytes(part); }),
                       "[\"x\"]: reference to an enclosing object of <class 'my.nets.Node'>"));
}

}  // namespace
}  // namespace taper
