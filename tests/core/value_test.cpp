#include "taper/core/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace {

using namespace taper;
using test::error_text;

TEST(Value, ReportsItsKind) {
  EXPECT_TRUE(Value().is_none());
  EXPECT_TRUE(Value(true).is_bool());
  EXPECT_TRUE(Value(3).is_int());
  EXPECT_TRUE(Value(3u).is_int());
  EXPECT_TRUE(Value(0.5f).is_float());
  EXPECT_TRUE(Value("text").is_string());
  EXPECT_TRUE(Value(std::string("text")).is_string());
  EXPECT_TRUE(Value(Shape{1, 2}).kind() == Value::Kind::size);
  EXPECT_TRUE(Value(float32).kind() == Value::Kind::dtype);
  EXPECT_TRUE(Value(Device::cpu()).kind() == Value::Kind::device);
  EXPECT_TRUE(Value(Tensor()).is_none());
  EXPECT_EQ(Value(Scalar(2.5)).as_double(), 2.5);
  EXPECT_EQ(Value(true).as_int(), 1);
  EXPECT_EQ(sizeof(Value), 16u);
}

TEST(Value, PrintsAsPython) {
  EXPECT_EQ(Value().repr(), "None");
  EXPECT_EQ(Value(true).repr(), "True");
  EXPECT_EQ(Value(-3).repr(), "-3");
  EXPECT_EQ(Value(1e-8).repr(), "1e-08");
  EXPECT_EQ(Value(2.0).repr(), "2.0");
  EXPECT_EQ(Value("it's").repr(), "\"it's\"");
  EXPECT_EQ(Value("a\n\\b\x01").repr(), "'a\\n\\\\b\\x01'");
  EXPECT_EQ(Value("bare").str(), "bare");
  EXPECT_EQ(Value::bytes(std::string("a\0\xff", 3)).repr(), "b'a\\x00\\xff'");
  EXPECT_EQ(Value(Complex{1, -2}).repr(), "(1-2j)");
  EXPECT_EQ(Value(Complex{0, 2.5}).repr(), "2.5j");
  EXPECT_EQ(Value(Shape{6, 3, 5, 5}).repr(), "torch.Size([6, 3, 5, 5])");
  EXPECT_EQ(Value(float32).repr(), "torch.float32");
  EXPECT_EQ(Value(Device::cpu()).repr(), "device(type='cpu')");
  EXPECT_EQ(Value(Device::cuda(1)).repr(), "device(type='cuda', index=1)");
  EXPECT_EQ(Value::global("torch.nn", "ReLU").repr(), "<class 'torch.nn.ReLU'>");
}

TEST(Value, PrintsContainersAsPython) {
  EXPECT_EQ(Value::list({1, "a", {}}).repr(), "[1, 'a', None]");
  EXPECT_EQ(Value::tuple({1}).repr(), "(1,)");
  EXPECT_EQ(Value::tuple().repr(), "()");
  EXPECT_EQ(Value::set({1, 2, 1}).repr(), "{1, 2}");
  EXPECT_EQ(Value::set().repr(), "set()");
  EXPECT_EQ(Value::dict({{"lr", 0.001}, {"momentum", 0.9}, {"nesterov", false}}).repr(),
            "{'lr': 0.001, 'momentum': 0.9, 'nesterov': False}");
  Value ordered = Value::ordered_dict();
  EXPECT_EQ(ordered.repr(), "OrderedDict()");
  ordered["a"] = Value::dict();
  EXPECT_EQ(ordered.repr(), "OrderedDict([('a', {})])");
}

TEST(Value, PrintsCyclesAsDots) {
  Value list = Value::list();
  list.append(list);
  EXPECT_EQ(list.repr(), "[[...]]");
  list.as_list().clear();  // breaks the cycle, which would leak
  Value dict = Value::dict();
  dict["me"] = dict;
  EXPECT_EQ(dict.repr(), "{'me': {...}}");
  dict.as_dict().clear();
}

TEST(Value, CopiesShareContainers) {
  const Value a = Value::list({1, 2});
  const Value b = a;
  b.append(3);
  b[0] = "changed";
  EXPECT_EQ(a.repr(), "['changed', 2, 3]");
  EXPECT_EQ(a[-1].as_int(), 3);
}

TEST(Value, ReadsAndWritesByKeyAsPython) {
  const Value d = Value::dict();
  d["epoch"] = 5;
  d["nested"] = Value::dict();
  d["nested"]["loss"] = 0.25;
  d[7] = d["epoch"];
  EXPECT_EQ(d.repr(), "{'epoch': 5, 'nested': {'loss': 0.25}, 7: 5}");
  const char* const text = "'eposh' is not a key of the dict, which has 'epoch', 'nested', 7";
  EXPECT_EQ(error_text<KeyError>([&] { d["eposh"].as_int(); }), text);
  EXPECT_EQ(error_text<KeyError>([&] { const Value v = d["eposh"]; }), text);
  EXPECT_EQ(error_text<KeyError>([&] { d["a"] = d["b"]; }),
            "'b' is not a key of the dict, which has 'epoch', 'nested', 7");
  EXPECT_EQ(error_text<KeyError>([&] { d["nested"].as_dict().at("x"); }),
            "'x' is not a key of the dict, which has 'loss'");
  EXPECT_EQ(error_text<KeyError>([&] { Value::dict()["x"].as_int(); }),
            "'x' is not a key of the dict, which is empty");
  Value large = Value::dict();
  for (int i = 0; i < 10; ++i) large[i] = i;
  EXPECT_EQ(error_text<KeyError>([&] { large[10].as_int(); }),
            "10 is not a key of the dict, which has 0, 1, 2, 3, 4, 5, 6, 7, ... (10 keys)");
  EXPECT_EQ(d.size(), 3u);  // failed reads and writes leave the dict unchanged
  EXPECT_EQ(error_text<IndexError>([] { (void)Value::list({1})[1]; }), "list index out of range");
  EXPECT_EQ(error_text<TypeError>([] { Value::tuple({1})[0] = 2; }),
            "'tuple' object does not support item assignment");
  EXPECT_EQ(error_text<TypeError>([] { (void)Value(3)[0]; }), "'int' object is not subscriptable");
}

TEST(Value, PartsOfTemporaryOutliveIt) {
  const auto make = [] {
    return Value::dict({{"list", Value::list({"one", "two"})},
                        {"inner", Value::dict({{"text", "three"}})},
                        {"weight", tensor({4.f})},
                        {"function", Value::global("builtins", "len")}});
  };
  std::string seen;
  for (const Value& item : make()["list"].as_sequence()) seen += item.as_string();
  for (const char c : make()["inner"]["text"].as_string()) seen += c;
  EXPECT_EQ(seen, "onetwothree");
  EXPECT_EQ(make()["weight"].as_tensor().item<float>(), 4);
  const auto [module, name] = make()["function"].as_global();
  EXPECT_EQ(module + "." + name, "builtins.len");
  const auto opaque = [] {
    return Value::opaque({.callable = Value::global("a", "B"), .state = Value("state")});
  };
  const Opaque part = opaque().as_opaque();
  EXPECT_EQ(part.state.as_string(), "state");
}

TEST(Value, ItemsOfNamedContainerAreReferences) {
  const Value d = Value::dict({{"inner", Value::dict({{"list", Value::list({1})}})}});
  Values& list = d["inner"]["list"].as_list();
  list.push_back(2);
  d["inner"].as_dict().set("new", 3);
  EXPECT_EQ(d.repr(), "{'inner': {'list': [1, 2], 'new': 3}}");
  EXPECT_EQ(d["inner"].find("new")->as_int(), 3);
}

TEST(Value, ItemsOfTemporaryHandleWriteToSharedContainer) {
  const Value d = Value::dict({{"inner", Value::dict()}});
  const auto handle = [&] { return d; };
  handle()["inner"]["a"] = 1;
  handle()["b"] = handle()["inner"]["a"];
  EXPECT_EQ(d.repr(), "{'inner': {'a': 1}, 'b': 1}");
}

TEST(Value, ReportsExpectedKind) {
  EXPECT_EQ(error_text<TypeError>([] { Value("x").as_int(); }), "value: got str, expected int");
  EXPECT_EQ(error_text<TypeError>([] { Value(1).as_tensor(); }), "value: got int, expected Tensor");
  EXPECT_EQ(error_text<TypeError>([] {
              const Value list = Value::list();
              list.as_dict();
            }),
            "value: got list, expected dict");
}

TEST(Value, NumericKeysCompareAcrossTypesAsInPython) {
  const Value d = Value::dict({{1, "one"}});
  EXPECT_EQ(d[1.0].as_string(), "one");
  EXPECT_EQ(d[true].as_string(), "one");
  EXPECT_FALSE(d.contains("1"));
  d[Value::tuple({1, "a"})] = 2;
  EXPECT_EQ(d[Value::tuple({1, "a"})].as_int(), 2);
  EXPECT_EQ(error_text<TypeError>([&] { d[Value::list()] = 1; }), "unhashable type: 'list'");
}

TEST(Value, DictsPreserveOrderAfterGrowthAndErasure) {
  const Value v = Value::dict();
  Dict& d = v.as_dict();
  for (int i = 0; i < 1000; ++i) d.set(std::to_string(i), i);
  for (int i = 0; i < 1000; i += 2) EXPECT_TRUE(d.erase(std::to_string(i)));
  EXPECT_FALSE(d.erase("0"));
  d.set("0", "back");
  ASSERT_EQ(d.size(), 501u);
  EXPECT_EQ(d.entries()[0].second.as_int(), 1);
  EXPECT_EQ(d.entries()[500].second.as_string(), "back");
  for (int i = 1; i < 1000; i += 2) EXPECT_EQ(d.find(std::to_string(i))->as_int(), i);
  EXPECT_EQ(d.find("2"), nullptr);
}

TEST(Value, CopiedDictsPreserveClassAndAttributes) {
  Value v = Value::ordered_dict();
  v["a"] = 1;
  v.as_dict().set_attribute("_metadata", Value::dict({{"", 1}}));
  const Value copy = v.as_dict().copy();
  v["b"] = 2;
  EXPECT_EQ(copy.repr(), "OrderedDict([('a', 1)])");
  EXPECT_EQ(copy.as_dict().attribute("_metadata")->repr(), "{'': 1}");
  EXPECT_EQ(copy.as_dict().attribute("other"), nullptr);
}

TEST(Value, ComparesByContents) {
  EXPECT_EQ(Value::list({1, 2.0}), Value::list({1.0, 2}));
  EXPECT_FALSE(Value::list({1}) == Value::tuple({1}));
  EXPECT_EQ(Value::dict({{"a", 1}, {"b", 2}}), Value::dict({{"b", 2}, {"a", 1}}));
  Value x = Value::ordered_dict(), y = Value::ordered_dict();
  x["a"] = 1, x["b"] = 2, y["b"] = 2, y["a"] = 1;
  EXPECT_FALSE(x == y);  // order matters between two OrderedDicts
  EXPECT_FALSE(Value(std::nan("")) == Value(std::nan("")));
  EXPECT_EQ(Value::set({1, 2}), Value::set({2, 1}));
  EXPECT_FALSE(Value(9007199254740993) == Value(9007199254740992.0));
}

TEST(Value, BigIntegersAreDecimalStrings) {
  EXPECT_EQ(Value::big_integer("-9223372036854775808").as_int(), INT64_MIN);
  EXPECT_EQ(Value::big_integer("0012").as_int(), 12);
  const Value big = Value::big_integer("119547037146038801333356");
  EXPECT_EQ(big.kind(), Value::Kind::big_integer);
  EXPECT_EQ(big.repr(), "119547037146038801333356");
  EXPECT_EQ(big.type_name(), "int");
  EXPECT_THROW(big.as_int(), ValueError);
  EXPECT_THROW(Value::big_integer("12x"), ValueError);
}

Value nested_deeply() {
  Value v;
  for (int i = 0; i < 1'000'000; ++i) {
    if (i % 3 == 0)
      v = Value::dict({{"inner", v}});
    else
      v = i % 3 == 1 ? Value::list({v}) : Value::tuple({v});
  }
  return v;
}

TEST(Value, DestroysDeepNestingWithoutRecursion) {
  const Value a = nested_deeply(), b = nested_deeply();
  EXPECT_EQ(error_text<RuntimeError>([&] { a.repr(); }),
            "value: maximum recursion depth exceeded while printing");
  EXPECT_THROW((void)(a == b), RuntimeError);
}

TEST(Value, ClassTextMatchesPython) {
  EXPECT_EQ(Value(1).class_text(), "<class 'int'>");
  EXPECT_EQ(Value::ordered_dict().class_text(), "<class 'collections.OrderedDict'>");
  EXPECT_EQ(Value::opaque({.callable = Value::global("numpy", "ndarray")}).repr(),
            "<ndarray object>");
}

TEST(ValueHash, ResistsChosenCollisions) {
  // Integers whose hashes would agree in all bits that the table uses, if the hash had no secret.
  const auto inverse = [](std::uint64_t a) {
    std::uint64_t x = a;
    for (int i = 0; i < 6; ++i) x *= 2 - a * x;
    return x;
  };
  const auto unshift = [](std::uint64_t x, int by) {
    std::uint64_t whole = x;
    for (int i = 0; i < 64; i += by) whole = x ^ (whole >> by);
    return whole;
  };
  std::set<std::size_t> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::uint64_t key = (std::uint64_t{12345} << 32 | i) * inverse(0x9e3779b97f4a7c15u);
    key = unshift(key, 31) * inverse(0x94d049bb133111ebu);
    key = unshift(unshift(key, 27) * inverse(0xbf58476d1ce4e5b9u), 30);
    seen.insert((Value(static_cast<std::int64_t>(key)).hash() * 0x9e3779b97f4a7c15u) >> 32);
  }
  EXPECT_GT(seen.size(), 900u);
}

}  // namespace
