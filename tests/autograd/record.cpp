#include "record.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "core/dtype_table.h"
#include "taper_paths.h"

namespace taper::scenario {
namespace {

using Json = nlohmann::json;

const Json& recorded(const std::string& number) {
  static const std::map<std::string, Json> all = [] {
    std::map<std::string, Json> by_id;
    std::ifstream file(TAPER_TEST_DATA "/autograd.json");
    const Json whole = Json::parse(file);
    for (const Json& scenario : whole["cases"]) by_id[scenario["id"]] = scenario["results"];
    return by_id;
  }();
  return all.at(number);
}

double number_of(const Json& v) {
  if (v == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (v == "inf") return std::numeric_limits<double>::infinity();
  if (v == "-inf") return -std::numeric_limits<double>::infinity();
  return v.get<double>();
}

bool near(double actual, double expected) {
  if (std::isnan(expected)) return std::isnan(actual);
  return actual == expected || std::abs(actual - expected) <= 1e-6 + 1e-5 * std::abs(expected);
}

void compare(const std::string& what, const Value& actual, const Json& expected) {
  if (expected.is_array()) {
    ASSERT_TRUE(actual.is_list() || actual.is_tuple()) << what << ": " << actual.repr();
    const Values& items = actual.as_sequence();
    ASSERT_EQ(items.size(), expected.size()) << what << ": " << actual.repr();
    for (std::size_t i = 0; i < items.size(); ++i)
      compare(what + "[" + std::to_string(i) + "]", items[i], expected[i]);
  } else if (expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(actual.contains(key)) << what << " has no " << key;
      compare(what + "." + key, actual[key], value);
    }
  } else if (expected.is_null()) {
    EXPECT_TRUE(actual.is_none()) << what << ": " << actual.repr();
  } else if (expected.is_boolean()) {
    ASSERT_TRUE(actual.is_bool()) << what << ": " << actual.repr();
    EXPECT_EQ(actual.as_bool(), expected.get<bool>()) << what;
  } else if (actual.is_string()) {
    EXPECT_EQ(actual.as_string(), expected.get<std::string>()) << what;
  } else {
    ASSERT_TRUE(actual.is_int() || actual.is_float()) << what << ": " << actual.repr();
    EXPECT_TRUE(near(actual.as_double(), number_of(expected)))
        << what << ": got " << actual.repr() << " expected " << expected;
  }
}

}  // namespace

Record::Record(int number)
    : number_(number < 10 ? "0" + std::to_string(number) : std::to_string(number)),
      results_(recorded(number_)) {}

Record::~Record() {
  if (std::uncaught_exceptions()) return;
  EXPECT_EQ(taken_, results_.size()) << "scenario " << number_ << " shows more";
}

const Json& Record::next(const char* kind, const std::string& name) {
  if (taken_ >= results_.size()) throw std::runtime_error("nothing is shown after " + name);
  const Json& result = results_[taken_++];
  if (!result.contains(kind) || result[kind] != name)
    throw std::runtime_error("at " + name + ": expected " + result.dump());
  return result;
}

void Record::show(const std::string& name, const Tensor& t) {
  const Json& expected = next("show", name);
  if (expected.contains("value")) {
    EXPECT_TRUE(expected["value"].is_null()) << name;
    EXPECT_FALSE(t.defined()) << name << ": " << t.str();
    return;
  }
  ASSERT_TRUE(t.defined()) << name;
  EXPECT_EQ(names_of(t.dtype()).brief, expected["dtype"].get<std::string>()) << name;
  EXPECT_EQ(t.shape(), Shape(expected["shape"].get<std::vector<std::int64_t>>())) << name;
  compare(name, tolist(t), expected["tensor"]);
}

void Record::show(const std::string& name, const Value& v) {
  if (v.is_tensor()) return show(name, v.as_tensor());
  compare(name, v, next("show", name).at("value"));
}

Value tolist(const Tensor& t) {
  if (t.dim() == 0) return t.item();
  Values items;
  for (std::int64_t i = 0; i < t.size(0); ++i) items.push_back(tolist(t[i]));
  return Value::list(std::move(items));
}

}  // namespace taper::scenario
