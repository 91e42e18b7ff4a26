#include "taper/nn/module_dict.h"
#include "nets.h"

namespace {

using namespace nets;

nn::ModuleDict two() { return nn::ModuleDict({{"b", Scale(1)}, {"a", Identity()}}); }

// R7.3-01
TEST(ModuleDict, PreservesInsertionOrder) {
  nn::ModuleDict d = two();
  EXPECT_EQ(d.str(), "ModuleDict(\n  (b): Scale(size=2)\n  (a): Identity()\n)");
  d.update(nn::ModuleDict({{"c", Identity()}, {"b", Identity()}}));
  EXPECT_EQ(names(d.named_modules()), " b a c");
  EXPECT_EQ(d["b"].type_name(), "Identity");
  const std::vector<nn::NamedChild> pairs = d.items();
  nn::ModuleDict same(pairs);
  EXPECT_EQ(same.shared("c"), d.shared("c"));
  const Value by_name = Value::dict({{"x", nn::value_of(d.shared("c"))}, {"n", nullptr}});
  d.update(by_name);
  d.update(Value::list({Value::tuple({"y", nn::value_of(d.shared("c"))})}));
  EXPECT_EQ(d.str(),
            "ModuleDict(\n  (b): Identity()\n  (a): Identity()\n  (c): Identity()\n  (x): "
            "Identity()\n  (n): None\n  (y): Identity()\n)");
}

// R7.3-02, for values known at run time only; the compiler checks the others.
TEST(ModuleDict, RejectsInvalidPairs) {
  nn::ModuleDict d = two();
  EXPECT_EQ(error_text<TypeError>([&] { d.update(Value(5)); }),
            "ModuleDict.update should be called with an iterable of key/value pairs, but got int");
  EXPECT_EQ(error_text<TypeError>([&] { d.update(Value::list({5})); }),
            "ModuleDict update sequence element #0 should be Iterable; isint");
  EXPECT_EQ(error_text<ValueError>([&] {
              d.update(Value::list({Value::tuple({"n", nullptr}), Value::tuple({1, 2, 3})}));
            }),
            "ModuleDict update sequence element #1 has length 3; 2 is required");
  EXPECT_FALSE(d.contains("n"));
  EXPECT_EQ(error_text<TypeError>([&] {
              d.update(Value::list({Value::tuple({"x", 1})}));
            }),
            "int is not a Module subclass");
  EXPECT_EQ(error_text<TypeError>([&] {
              d.update(Value::list({Value::tuple({1, nullptr})}));
            }),
            "module name should be a string. Got int");
}

// R7.3-03
TEST(ModuleDict, IsReadByName) {
  nn::ModuleDict d = two();
  EXPECT_TRUE(d["b"].as<Scale>());
  EXPECT_TRUE(d.contains("a"));
  EXPECT_FALSE(d.contains("z"));
  EXPECT_EQ(d.size(), 2u);
  EXPECT_EQ(d.keys(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(error_text<KeyError>([&] { d["z"]; }), "'z'");
}

// R7.3-04
TEST(ModuleDict, ChecksNames) {
  nn::ModuleDict d = two();
  EXPECT_EQ(error_text<KeyError>([&] { d.set("a.b", Identity()); }),
            "module name can't contain \".\", got: a.b");
  EXPECT_EQ(error_text<KeyError>([&] { d.set("", Identity()); }),
            "module name can't be empty string \"\"");
  EXPECT_EQ(error_text<KeyError>([&] { d.set("training", Identity()); }),
            "attribute 'training' already exists");
  d.set("b", nullptr);
  d.set("n", Identity());
  EXPECT_EQ(d.str(), "ModuleDict(\n  (b): None\n  (a): Identity()\n  (n): Identity()\n)");
}

// R7.3-05
TEST(ModuleDict, RemovesModules) {
  nn::ModuleDict d = two();
  const auto a = d.shared("a");
  EXPECT_EQ(d.pop("a"), a);
  EXPECT_EQ(error_text<KeyError>([&] { d.pop("a"); }), "'a'");
  EXPECT_EQ(error_text<KeyError>([&] { d.erase("a"); }), "'a'");
  d.set("c", a);
  EXPECT_EQ(d.items()[1].name, "c");
  EXPECT_EQ(d.values()[1], a);
  d.erase("b");
  EXPECT_EQ(d.keys(), std::vector<std::string>{"c"});
  d.clear();
  EXPECT_EQ(d.str(), "ModuleDict()");
}

// R7.3-06
template <class D>
concept DictHasMore = requires(D d) {
  d.get("a");
}
|| requires(D d) { d.setdefault("a"); }
|| requires(D d) { d.popitem(); }
|| requires(D d) { d.copy(); }
|| requires(D d) { d.reversed(); }
|| requires(D d) { d | d; };
TEST(ModuleDict, LacksDictMethodsThatPythonLacks) { static_assert(!DictHasMore<nn::ModuleDict>); }

// R7.3-07
TEST(ModuleDict, RejectsCall) {
  nn::ModuleDict d = two();
  nn::Module& m = d;
  EXPECT_EQ(error_message<NotImplementedError>([&] { m(row(1, 2)); }),
            "Module [ModuleDict] is missing the required \"forward\" function");
  EXPECT_EQ(error_message<NotImplementedError>([&] { m.call({}); }),
            "Module [ModuleDict] is missing the required \"forward\" function");
}

TEST(ModuleDict, ClonePreservesNames) {
  nn::ModuleDict d = two();
  nn::ModuleDict copy = d.clone();
  EXPECT_EQ(copy.str(), d.str());
  EXPECT_NE(copy.shared("a"), d.shared("a"));
}

}  // namespace
