// Named tuples as Values.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/core/value.h"

namespace taper {
namespace {

using test::error_text;

Value point() { return Value::named_tuple("geometry.Point", {{"x", 1}, {"y", "a"}}); }

TEST(NamedTuple, PrintsAsPython) {
  EXPECT_EQ(point().repr(), "Point(x=1, y='a')");
  EXPECT_EQ(point().type_name(), "Point");
  EXPECT_EQ(point().class_text(), "<class 'geometry.Point'>");
  EXPECT_EQ(Value::named_tuple("P", {{"x", 1}}).repr(), "P(x=1)");
  EXPECT_EQ(Value::named_tuple("P", {}).repr(), "P()");
  EXPECT_EQ(Value::list({point(), Value::tuple({1})}).repr(), "[Point(x=1, y='a'), (1,)]");
}

TEST(NamedTuple, ReturnsItemsByNameAndIndex) {
  const Value p = point();
  EXPECT_EQ(p["x"].as_int(), 1);
  EXPECT_EQ(p[-1].as_string(), "a");
  EXPECT_EQ(p.item_names(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(error_text<KeyError>([&] { return p["z"]; }), "'Point' object has no item 'z'");
  EXPECT_EQ(error_text<TypeError>([&] { return Value::tuple({1})["x"]; }),
            "tuple indices must be integers, not str");
  EXPECT_THROW((p["x"] = 2), TypeError);
}

TEST(NamedTuple, EqualsTheTupleOfItsItems) {
  EXPECT_TRUE(point().is_tuple());
  EXPECT_EQ(point(), Value::tuple({1, "a"}));
  EXPECT_EQ(point().hash(), Value::tuple({1, "a"}).hash());
  EXPECT_TRUE(Value::tuple({1}).item_names().empty());
  EXPECT_TRUE(Value(1).item_names().empty());
}

TEST(NamedTuple, RejectsEqualNames) {
  EXPECT_EQ(error_text<ValueError>([] {
              static_cast<void>(Value::named_tuple("P", {{"x", 1}, {"x", 2}}));
            }),
            "named_tuple: Encountered duplicate field name: 'x'");
}

TEST(ValueWithItems, PreservesTheClass) {
  EXPECT_EQ(point().with_items({2, 3}).repr(), "Point(x=2, y=3)");
  EXPECT_EQ(Value::list().with_items({2}).repr(), "[2]");
  EXPECT_EQ(Value::tuple({1}).with_items({2, 3}).repr(), "(2, 3)");
  EXPECT_EQ(Value::set({1}).with_items({2}).repr(), "{2}");
  EXPECT_EQ(error_text<ValueError>([] { static_cast<void>(point().with_items({1})); }),
            "with_items: got 1 items, expected 2 of Point");
  EXPECT_EQ(error_text<TypeError>([] { static_cast<void>(Value(1).with_items({})); }),
            "value: got int, expected list, tuple or set");
}

}  // namespace
}  // namespace taper
