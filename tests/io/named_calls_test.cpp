// Calls in a pickle: calls of classes, methods and functools.partial are read as data; other calls
// are rejected.
#include <gtest/gtest.h>

#include "assemble.h"
#include "load_bytes.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;

std::string error(const std::string& body, bool strict = false) {
  return error_text<IoError>([&] {
    (void)load_pickle(pickle(dict({{"x", body}})), {.strict = strict});
  });
}
std::string attribute(const std::string& owner, const char* of) {
  return call("__builtin__", "getattr", {owner, text(of)});
}

// Enums and subclasses of dict and set are pickled as calls of their class.
TEST(PickleCalls, CallsOfClassesBecomeObjects) {
  for (const auto& [module, cls] : std::vector<std::pair<const char*, const char*>>{
           {"transformers.trainer_utils", "IntervalStrategy"},
           {"my_project", "_State"},
           {"my_project", "Outer.Mode"},
           {"torch._C", "Generator"},
           {"torch.nn.parameter", "UninitializedParameter"},
           {"torch.return_types", "max"},
           {"ipaddress", "IPv4Address"},
           {"types", "SimpleNamespace"},
           {"re", "_compile"},
           {"numpy.random._pickle", "__bit_generator_ctor"}}) {
    const Value v = save_and_load(load_pickle(pickle(call(module, cls, {text("steps")}))));
    ASSERT_EQ(v.kind(), Value::Kind::opaque) << cls;
    EXPECT_FALSE(v.as_opaque().is_new);
    EXPECT_EQ(v.as_opaque().callable.as_global().first, module);
    EXPECT_EQ(v.as_opaque().callable.as_global().second, cls);
    EXPECT_EQ(v.as_opaque().arguments[0].as_string(), "steps");
    EXPECT_TRUE(
        contains(error(call(module, cls, {text("steps")}), true), "strict: the file names"));
  }
  const Value own = load_pickle(pickle(call("my_project", "Ordered", {}) + text("a") + "K\1s" +
                                       dict({{"note", number(2)}}) + "b"));
  EXPECT_EQ(own.as_opaque().entries[0].second.as_int(), 1);
  EXPECT_EQ(own.as_opaque().state["note"].as_int(), 2);
}

TEST(PickleCalls, RejectsFunctionsAndDangerousClasses) {
  for (const auto& [module, last] :
       std::vector<std::pair<const char*, const char*>>{{"my_project", "make"},
                                                        {"my_project", "Net.make"},
                                                        {"subprocess", "Popen"},
                                                        {"subprocess", "Popen.Inner"},
                                                        {"builtins", "ValueError"},
                                                        {"builtins", "Exception"},
                                                        {"__builtin__", "iter"},
                                                        {"ctypes", "CDLL"},
                                                        {"torch", "FloatStorage"},
                                                        {"torch.jit", "ScriptModule"},
                                                        {"torch._dynamo.eval_frame", "Other"},
                                                        {"operator", "attrgetter"}})
    EXPECT_TRUE(contains(error(call(module, last, {text("x")})), "which checkpoints do not use"))
        << module << "." << last;
}

TEST(PickleCalls, GetattrOfClassYieldsDottedName) {
  const Value inner = save_and_load(load_pickle(pickle(attribute(name("my", "Outer"), "Inner"))));
  EXPECT_EQ(inner.as_global(), std::pair(std::string_view("my"), std::string_view("Outer.Inner")));
  const std::string two = attribute(attribute(name("my", "Outer"), "Inner"), "run");
  EXPECT_EQ(save_and_load(load_pickle(pickle(two))).as_global().second, "Outer.Inner.run");
  const Value object =
      save_and_load(load_pickle(pickle(attribute(name("my", "Outer"), "Inner") + ")\x81")));
  EXPECT_EQ(object.as_opaque().callable.as_global().second, "Outer.Inner");
  // Protocol 4 has dotted names; protocol 2, which is written, does not.
  const Value new_name = load_pickle(pickle(text("my") + text("Outer.Inner") + "\x93", 4));
  const std::string both[] = {pickle("(" + two + attribute(name("my", "Outer"), "Inner") + "l"),
                              pickle("](" + two + text("my") + text("Outer.Inner") +
                                         "\x93"
                                         "e",
                                     4)};
  EXPECT_EQ(save_to_bytes(new_name), save_to_bytes(inner));
  EXPECT_EQ(save_to_bytes(load_pickle(both[0])), save_to_bytes(load_pickle(both[1])));
  EXPECT_TRUE(contains(error(attribute(name("my", "Outer"), "Inner"), true), "strict"));
}

TEST(PickleCalls, GetattrOfObjectYieldsMethod) {
  const std::string object = name("my", "Net") + ")\x81" + dict({{"a", number(1)}}) + "b";
  const Value method = save_and_load(load_pickle(pickle(attribute(object, "step"))));
  EXPECT_EQ(method.as_opaque().callable.as_global().second, "getattr");
  EXPECT_EQ(method.as_opaque().arguments[0].as_opaque().state["a"].as_int(), 1);
  EXPECT_EQ(method.as_opaque().arguments[1].as_string(), "step");
  EXPECT_EQ(load_pickle(pickle(attribute("]", "append"))).as_opaque().arguments[0].size(), 0u);
}

TEST(PickleCalls, RejectsOtherUsesOfGetattr) {
  const std::string object = name("my", "Net") + ")\x81", method = attribute(object, "step");
  const auto no = "which checkpoints do not use";
  EXPECT_TRUE(contains(error(method + ")R"), "getattr is called, which is not a class"));
  EXPECT_TRUE(contains(error(method + ")\x81"), "is created, which is not a class"));
  for (const std::string& body :
       {attribute(method, "__func__"), attribute(name("torch", "nn"), "Linear"),
        attribute(name("shutil", "Os"), "system"), attribute(name("builtins", "Type"), "x"),
        attribute(name("subprocess", "Popen"), "x"), attribute(number(3), "real"),
        attribute(text("a"), "format"), attribute(name("my", "Net"), "a.b"),
        attribute(name("my", "Net"), ""), call("__builtin__", "getattr", {object}),
        call("__builtin__", "getattr", {object, number(1)}),
        call("__builtin__", "getattr", {object, text("a"), kNone}),
        attribute(name("my", std::string(200, 'N')), "x"),
        attribute(name("my", "Net"), "run") + ")R"})
    EXPECT_TRUE(contains(error(body), no));
}

TEST(PickleCalls, PartialPreservesFunctionAndArguments) {
  const std::string state = tuple({name("my", "f"), tuple({number(3)}), "}", kNone});
  const std::string partial = call("functools", "partial", {name("my", "f")}) + state + "b";
  const Value v = save_and_load(load_pickle(pickle(partial)));
  EXPECT_EQ(v.as_opaque().arguments[0].as_global().second, "f");
  EXPECT_EQ(v.as_opaque().state[1][0].as_int(), 3);
  EXPECT_TRUE(contains(error(partial + ")R"), "partial is called, which is not a class"));
  for (const std::string& body : {call("functools", "partial", {number(1)}),
                                  call("functools", "partial", {name("my", "f"), number(1)})})
    EXPECT_TRUE(contains(error(body), "the file calls functools.partial"));
  const Value d =
      save_and_load(load_pickle(pickle(call("collections", "defaultdict", {partial}) + "K\1K\2s")));
  EXPECT_EQ(d[1].as_int(), 2);
  EXPECT_EQ(d.as_dict().attribute("default_factory")->as_opaque().state[1][0].as_int(), 3);
}

TEST(PickleCalls, FrozenSetsOfProtocol4EqualThoseOfProtocol2) {
  const Value old = load_pickle(pickle(call("__builtin__", "frozenset", {"](K\1K\2e"})));
  const Value v = load_pickle(pickle("}(K\1K\2\x91q" + le(0, 1) + "K\5sh" + le(0, 1) + "\x86", 4));
  EXPECT_EQ(v[0].size(), 1u) << "one may be a key";
  EXPECT_EQ(v[1].as_opaque().callable.as_global().second, "frozenset");
  EXPECT_EQ(v[1].as_opaque().arguments, old.as_opaque().arguments);
  EXPECT_EQ(save_to_bytes(v[1]), save_to_bytes(save_and_load(v[1])));
  EXPECT_TRUE(contains(error("(K\1\x91", true),
                       "objects of builtins.frozenset are loaded as opaque values"));
}

TEST(PickleCalls, RejectsLongNames) {
  EXPECT_TRUE(contains(error(name("my", std::string(1000, 'x'))), "got 1002 characters"));
}

}  // namespace
}  // namespace taper
