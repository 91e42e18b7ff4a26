#include "taper/nn/parameter_dict.h"
#include "nets.h"

namespace {

using namespace nets;

using Names = std::vector<std::string>;
nn::ParameterDict zy() { return {{"z", ones({1})}, {"y", ones({2})}}; }

// R7.5-01
TEST(ParameterDict, SortsPlainDictsOnly) {
  nn::ParameterDict d(Value::dict({{"b", ones({1})}, {"a", 5}}));
  EXPECT_EQ(d.keys(), (Names{"a", "b"}));
  Value ordered = Value::ordered_dict();
  ordered.as_dict().set("q", ones({1}));
  ordered.as_dict().set("c", ones({1}));
  d.update(ordered);
  d.update(zy());
  d.update({{"2", ones({1})}, {"1", ones({1})}});
  EXPECT_EQ(d.keys(), (Names{"a", "b", "q", "c", "z", "y", "2", "1"}));
  const nn::Parameter own(ones({1}));
  nn::ParameterDict sorted(std::map<std::string, nn::Parameter>{{"k", own}, {"j", own}});
  EXPECT_EQ(sorted.keys(), (Names{"j", "k"}));
  EXPECT_TRUE(sorted["k"].is_same(own));
}

// R7.5-02
TEST(ParameterDict, RejectsInvalidPairs) {
  nn::ParameterDict d;
  EXPECT_EQ(
      error_text<TypeError>([&] { d.update(Value(5)); }),
      "ParametersDict.update should be called with an iterable of key/value pairs, but got int");
  EXPECT_EQ(error_text<TypeError>([&] { d.update(Value::list({5})); }),
            "ParameterDict update sequence element #0 should be Iterable; isint");
  EXPECT_EQ(error_text<ValueError>([&] {
              d.update(Value::list({Value::tuple({1, 2, 3})}));
            }),
            "ParameterDict update sequence element #0 has length 3; 2 is required");
}

// R7.5-03
TEST(ParameterDict, KeysMustBeAttributeNames) {
  nn::ParameterDict d;
  EXPECT_EQ(error_text<TypeError>([&] {
              d.update(Value::list({Value::tuple({1, 2})}));
            }),
            "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
            "'int'). Open an issue on github if you need non-string keys.");
  EXPECT_EQ(error_text<KeyError>([&] { d.set("a.b", ones({1})); }),
            "parameter name can't contain \".\"");
  EXPECT_EQ(error_text<KeyError>([&] { d.set("", ones({1})); }),
            "parameter name can't be empty string \"\"");
  EXPECT_TRUE(d.empty());  // Python retains the key of the rejected value
  d.set("a.b", 1);
  EXPECT_EQ(d.at("a.b").as_int(), 1);
  EXPECT_EQ(d.str(), "ParameterDict(  (a.b): Object of type: int)");
}

// R7.5-04
TEST(ParameterDict, WrapsTensorsAndKeepsOtherValues) {
  nn::ParameterDict d({{"t", ones({1})}, {"m", std::make_shared<Scale>()}, {"n", nullptr}});
  EXPECT_TRUE(d["t"].requires_grad());
  EXPECT_EQ(names(d.named_parameters()), "t m.weight");
  EXPECT_EQ(names(d.named_children()), "m");
  EXPECT_TRUE(d.at("n").is_none());
  EXPECT_THROW(d.set("i", tensor({1})), RuntimeError);
  EXPECT_EQ(error_text<TypeError>([&] { d.set("t", 5); }),
            "cannot assign 'int' as parameter 't' (torch.nn.Parameter or None expected)");
}

// R7.5-05
TEST(ParameterDict, PreservesInsertionOrder) {
  nn::ParameterDict d = zy();
  EXPECT_EQ(d.size(), 2u);
  EXPECT_TRUE(d.contains("z"));
  EXPECT_FALSE(d.contains("a"));
  EXPECT_EQ(d.reversed(), (Names{"y", "z"}));
  d.set("z", zeros({3}));
  EXPECT_EQ(names(d.named_parameters()), "z y");
  EXPECT_EQ(d["z"].shape(), Shape({3}));
  EXPECT_EQ(error_text<AttributeError>([&] { d["gone"]; }),
            "'ParameterDict' object has no attribute 'gone'");
  EXPECT_EQ(error_text<AttributeError>([&] { d.pop("gone"); }),
            "'ParameterDict' object has no attribute 'gone'");
  EXPECT_EQ(error_text<KeyError>([&] { d.erase("gone"); }), "'gone'");
  d.erase("z");
  EXPECT_EQ(names(d.named_parameters()), "y");
}

// R7.5-06
TEST(ParameterDict, HasDictMethods) {
  nn::ParameterDict d = zy();
  nn::ParameterDict copy = d.copy();
  EXPECT_TRUE(copy["z"].is_same(d["z"]));
  copy.erase("z");
  EXPECT_EQ(d.size(), 2u);
  EXPECT_TRUE(d.setdefault("n", ones({1})).is_parameter());
  EXPECT_TRUE(d.setdefault("n", zeros({5})).as_tensor().is_same(d["n"]));
  EXPECT_TRUE(d.setdefault("none").is_none());
  EXPECT_EQ(d.get("zz", 3).as_int(), 3);
  EXPECT_TRUE(d.get("zz").is_none());
  EXPECT_EQ(d.items().back().first, "none");
  EXPECT_EQ(d.values().size(), 4u);
  EXPECT_EQ(d.popitem().first, "none");
  const Value n = d["n"];
  EXPECT_TRUE(d.pop("n") == n);
  EXPECT_EQ(d.keys(), (Names{"z", "y"}));
  d.clear();
  EXPECT_EQ(d.own_parameters().size(), 0u);
  EXPECT_EQ(error_text<KeyError>([&] { d.popitem(); }), "'popitem(): dictionary is empty'");
  EXPECT_EQ(nn::ParameterDict::fromkeys({"a", "b"}, ones({1})).str(),
            "ParameterDict(\n"
            "    (a): Parameter containing: [torch.FloatTensor of size 1]\n"
            "    (b): Parameter containing: [torch.FloatTensor of size 1]\n"
            ")");
}

// R7.5-07
TEST(ParameterDict, MergesDicts) {
  nn::ParameterDict a = zy(), b({{"q", zeros({1})}, {"b", zeros({1})}, {"z", zeros({4})}});
  nn::ParameterDict both = a | b;
  EXPECT_EQ(both.keys(), (Names{"z", "y", "q", "b"}));
  EXPECT_TRUE(both["z"].is_same(b["z"]));
  EXPECT_EQ(a.size(), 2u);
  const Value dict = Value::dict({{"k", 1}, {"z", 2}}) | a;
  EXPECT_EQ(dict.type_name(), "dict");
  EXPECT_EQ(keys(dict), "k z y");
  EXPECT_TRUE(dict["z"] == Value(a["z"]));
  EXPECT_EQ(&(a |= b), &a);
  a |= Value::dict({{"3", ones({1})}, {"2", ones({1})}});
  EXPECT_EQ(a.keys(), (Names{"z", "y", "q", "b", "2", "3"}));
}

// R7.5-08
TEST(ParameterDict, RejectsCall) {
  nn::ParameterDict d;
  nn::Module& m = d;
  EXPECT_EQ(error_message<RuntimeError>([&] { m(ones({1})); }),
            "ParameterDict should not be called.");
  EXPECT_EQ(error_message<RuntimeError>([&] { m.call({}); }),
            "ParameterDict should not be called.");
}

}  // namespace
