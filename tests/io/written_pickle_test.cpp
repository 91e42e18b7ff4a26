// Writing pickles, compared opcode by opcode.
#include <gtest/gtest.h>

#include "assemble.h"
#include "io/pickle/writer.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using namespace test;
using namespace std::string_literals;

std::string written(const Value& v) {
  io::SavedStorages storages;
  return io::PickleWriter(storages, io::StorageIds::zip).write(v);
}
std::size_t count(const std::string& all, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++n;
  return n;
}
/// Returns the pickle of a dict entry: a string key, followed by the pickled value.
std::string entry(const char* key, const std::string& value) { return text(key) + value; }

// R11.3-01, R11.3-02, R11.3-09
TEST(WrittenPickle, BeginsWithProtocolAndEndsWithStop) {
  EXPECT_EQ(written(Value()), "\x80\x02N.");
  EXPECT_EQ(written(true), "\x80\x02\x88.");
  EXPECT_EQ(written(false), "\x80\x02\x89.");
}

// R11.3-10, R11.3-11
TEST(WrittenPickle, IntegersUseShortestOpcode) {
  EXPECT_EQ(written(0), pickle("K\0"s));
  EXPECT_EQ(written(255), pickle("K\xff"));
  EXPECT_EQ(written(256), pickle("M\0\1"s));
  EXPECT_EQ(written(65535), pickle("M\xff\xff"));
  EXPECT_EQ(written(65536), pickle("J\0\0\1\0"s));
  EXPECT_EQ(written(-1), pickle("J\xff\xff\xff\xff"));
  EXPECT_EQ(written(INT32_MIN), pickle("J\0\0\0\x80"s));
  EXPECT_EQ(written(std::int64_t{1} << 31), pickle("\x8a\5\0\0\0\x80\0"s));
  EXPECT_EQ(written(-(std::int64_t{1} << 31) - 1), pickle("\x8a\5\xff\xff\xff\x7f\xff"));
  EXPECT_EQ(written(INT64_MIN), pickle("\x8a\x08\0\0\0\0\0\0\0\x80"s));
  const Value large = Value::big_integer("18446744073709551616");  // 2^64
  EXPECT_EQ(written(large), pickle("\x8a\x09\0\0\0\0\0\0\0\0\1"s));
  EXPECT_EQ(written(Value::big_integer("-18446744073709551616")),
            pickle("\x8a\x09\0\0\0\0\0\0\0\0\xff"s));
  const std::string huge = written(Value::big_integer("1" + std::string(1000, '0')));
  EXPECT_EQ(huge.substr(2, 5), "\x8b" + le(416, 4));  // LONG4: 10^1000 has 3322 bits
}

// R11.3-12, R11.3-13
TEST(WrittenPickle, WritesFloatsAndStrings) {
  EXPECT_EQ(written(1.0), pickle("G\x3f\xf0\0\0\0\0\0\0"s));
  EXPECT_EQ(written("a\xc3\xa9\xed\xa0\x80"), pickle("X" + le(6, 4) + "a\xc3\xa9\xed\xa0\x80"));
  EXPECT_THROW(written("\xff"), ValueError);
}

// R11.3-03, R11.3-04, R11.3-06
TEST(WrittenPickle, TuplesOfUpToThreeItemsNeedNoMark) {
  EXPECT_EQ(written(Value::tuple()), pickle(")"));
  EXPECT_EQ(written(Value::tuple({1})), pickle("K\1\x85"));
  EXPECT_EQ(written(Value::tuple({1, 2})), pickle("K\1K\2\x86"));
  EXPECT_EQ(written(Value::tuple({1, 2, 3})), pickle("K\1K\2K\3\x87"));
  EXPECT_EQ(written(Value::tuple({1, 2, 3, 4})), pickle("(K\1K\2K\3K\4t"));
  EXPECT_EQ(written(Value::list()), pickle("]"));
  EXPECT_EQ(written(Value::dict()), pickle("}"));
}

// R11.3-07, R11.3-08, R11.3-22
TEST(WrittenPickle, ItemsAreBatchedByThousand) {
  EXPECT_EQ(written(Value::list({1})), pickle("]K\1a"));
  EXPECT_EQ(written(Value::list({1, 2})), pickle("](K\1K\2e"));
  EXPECT_EQ(written(Value::dict({{"a", 1}})), pickle("}" + entry("a", "K\1") + "s"));
  EXPECT_EQ(written(Value::dict({{"a", 1}, {"b", 2}})),
            pickle("}(" + entry("a", "K\1") + entry("b", "K\2") + "u"));
  const auto ones = [](std::size_t n) {
    std::string s;
    for (std::size_t i = 0; i < n; ++i) s += "K\1";
    return s;
  };
  const auto list = [](std::size_t n) { return Value::list(Values(n, Value(1))); };
  EXPECT_EQ(written(list(1000)), pickle("](" + ones(1000) + "e"));
  EXPECT_EQ(written(list(1001)), pickle("](" + ones(1000) + "e(" + ones(1) + "e"));
  Value keys = Value::dict(), ordered = Value::ordered_dict();
  for (int i = 0; i < 2001; ++i) keys.as_dict().set(i, i), ordered.as_dict().set(i, i);
  EXPECT_EQ(count(written(keys), "u("), 2u);
  EXPECT_TRUE(written(keys).ends_with("M\xd0\7M\xd0\7u."));
  EXPECT_TRUE(written(ordered).ends_with("uM\xd0\7M\xd0\7s."));  // as Python writes it
}

// R11.3-20, R11.3-21, R11.3-23
TEST(WrittenPickle, RepeatedValuesAreMemoized) {
  const Value shared = Value::list();
  EXPECT_EQ(written(Value::tuple({shared, shared})), pickle("]q\0h\0\x86"s));
  EXPECT_EQ(written(Value::tuple({Value::list(), Value::list()})), pickle("]]\x86"));
  EXPECT_EQ(written(Value::tuple({"a", "a"})), pickle(text("a") + "q\0h\0\x86"s));
  const Value pair = Value::tuple({1, 2});
  EXPECT_EQ(written(Value::list({pair, pair})), pickle("](K\1K\2\x86q\0h\0e"s));
  const Value set = Value::set({1});
  EXPECT_EQ(written(Value::list({set, set})),
            pickle("](" + name("__builtin__", "set") + "]K\1a\x85Rq\0h\0e"s));
  // The list contains a tuple that contains the list.
  const Value list = Value::list();
  list.append(Value::tuple({list}));
  EXPECT_EQ(written(list), pickle("]q\0h\0\x85"s
                                  "a"));
  const std::string from_tuple = written(list[0]);
  EXPECT_EQ(from_tuple, pickle("]q\0h\0\x85q\1a0h\1"s));
  list.as_list().clear();
  // The short opcode covers indices up to 255.
  Value many = Value::list();
  for (int i = 0; i < 300; ++i) {
    const Value item = Value::list();
    many.append(item), many.append(item);
  }
  const std::string bytes = written(many);
  EXPECT_EQ(count(bytes, "q\xffh\xff"), 1u);
  EXPECT_EQ(count(bytes, "r\0\1\0\0j\0\1\0\0"s), 1u);
}

// R11.3-15, R11.3-16, R11.3-24, R11.3-25
TEST(WrittenPickle, MissingTypesOfProtocol2AreCallsOfPython2Names) {
  EXPECT_EQ(written(Value::set({1, 2})), pickle(name("__builtin__", "set") + "](K\1K\2e\x85R"));
  EXPECT_EQ(written(Value::bytes("a\xff")),
            pickle(name("_codecs", "encode") + text("a\xc3\xbf") + text("latin1") + "\x86R"));
  EXPECT_EQ(written(Value::bytes("")), pickle(name("__builtin__", "bytes") + ")R"));
  EXPECT_EQ(written(Complex{0, 1}), pickle(name("__builtin__", "complex") + "G" +
                                           std::string(8, '\0') + "G\x3f\xf0\0\0\0\0\0\0\x86R"s));
  Value counter = Value::dict({{"a", 3}});
  counter.as_dict().set_class_name("collections.Counter");
  EXPECT_EQ(written(counter),
            pickle(name("collections", "Counter") + "}" + text("a") + "K\3s\x85R"));
  Value with_default = Value::dict({{"a", 1}});
  with_default.as_dict().set_class_name("collections.defaultdict");
  EXPECT_EQ(written(with_default),
            pickle(name("collections", "defaultdict") + ")R" + text("a") + "K\1s"));
  EXPECT_EQ(written(Value::global("builtins", "range")), pickle(name("__builtin__", "xrange")));
  EXPECT_EQ(written(Value::global("copyreg", "_reconstructor")),
            pickle(name("copy_reg", "_reconstructor")));
  EXPECT_EQ(written(Value::global("a.b", "f")), pickle(name("a.b", "f")));
  EXPECT_THROW(written(Value::global("a", "b\nc")), ValueError);
}

// R11.3-25
TEST(WrittenPickle, WritesByteArrays) {
  const auto bytearray = [](std::string_view bytes) {
    Opaque o;
    o.callable = Value::global("builtins", "bytearray");
    o.arguments = Value::tuple({Value::bytes(bytes)});
    return Value::opaque(o);
  };
  EXPECT_EQ(written(bytearray("x")),
            pickle(name("__builtin__", "bytearray") + name("_codecs", "encode") + text("x") +
                   text("latin1") + "\x86R\x85R"));
  EXPECT_EQ(written(bytearray("")), pickle(name("__builtin__", "bytearray") + ")R"));
}

// R11.3-26
TEST(WrittenPickle, WritesTorchScalars) {
  EXPECT_EQ(written(bfloat16), pickle(name("torch", "bfloat16")));
  EXPECT_EQ(written(Device::cpu()), pickle(name("torch", "device") + text("cpu") + "\x85R"));
  EXPECT_EQ(written(Device::cuda(1)), pickle(name("torch", "device") + text("cuda") + "K\1\x86R"));
  EXPECT_EQ(written(Shape{2, 3}), pickle(name("torch", "Size") + "K\2K\3\x86\x85R"));
  EXPECT_EQ(written(Value::list({Shape{}})), pickle("]" + name("torch", "Size") + ")\x85Ra"));
}

// R11.3-18, R11.3-27, R11.3-28
TEST(WrittenPickle, StateDictPreservesMetadata) {
  Value state = Value::ordered_dict(), metadata = Value::ordered_dict();
  const std::string ordered = name("collections", "OrderedDict");
  EXPECT_EQ(written(state), pickle(ordered + ")R"));
  metadata.as_dict().set("", Value::dict({{"version", 1}}));
  state.as_dict().set("a", 1);
  state.as_dict().set_attribute("_metadata", metadata);
  EXPECT_EQ(written(state),
            pickle(ordered + "q\0)R"s + entry("a", "K\1") + "s}" + text("_metadata") + "h\0)R"s +
                   text("") + "}" + text("version") + "K\1sssb"));
  // Attributes that exist only in Taper are not pickled.
  Value plain = Value::dict();
  plain.as_dict().set_attribute("__metadata__", Value::dict({{"format", "pt"}}));
  EXPECT_EQ(written(plain), pickle("}"));
}

// R11.3-16, R11.3-17, R11.3-18
TEST(WrittenPickle, OpaqueObjectsAreWrittenAsTheirCalls) {
  Opaque o;
  o.callable = Value::global("net", "Net");
  o.arguments = Value::tuple();
  o.is_new = true;
  o.state = Value::dict({{"a", 1}});
  const Value object = Value::opaque(o);
  EXPECT_EQ(written(object), pickle(name("net", "Net") + ")\x81}" + text("a") + "K\1sb"));
  EXPECT_EQ(written(Value::list({object, object})),
            pickle("](" + name("net", "Net") + ")\x81q\0}"s + text("a") + "K\1sbh\0e"s));
  o.is_new = false;
  o.arguments = Value();
  o.state = Value();
  o.items = {1, 2};
  o.entries = {{"k", 5}};
  EXPECT_EQ(written(Value::opaque(o)),
            pickle(name("net", "Net") + ")R(K\1K\2e" + text("k") + "K\5s"));
  o.callable = Value("net");
  EXPECT_THROW(written(Value::opaque(o)), TypeError);
}

TEST(WrittenPickle, ErrorsReportPathInValue) {
  const auto error = [](const Value& v) { return error_text([&] { (void)written(v); }); };
  EXPECT_EQ(error(Value::dict({{"model", Value::dict({{"x", Value::list({1, "\xff"})}})}})),
            "save: [\"model\"][\"x\"][1]: invalid UTF-8 in string '\\xff'");
  EXPECT_EQ(error(Value::dict({{5, Value::opaque({})}})).substr(0, 45),
            "save: [5]: cannot write a value of type objec");
  Opaque own;
  own.callable = Value::global("a", "B");
  const Value object = Value::opaque(own);
  object.as_opaque().arguments = Value::tuple({object});
  EXPECT_EQ(error(Value::list({object})), "save: [0].arguments[0]: a value contains itself");
  object.as_opaque().arguments = Value();
}

}  // namespace
}  // namespace taper
