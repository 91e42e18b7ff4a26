#include "models/results.h"

#include <array>
#include <limits>

#include "cases/outcome.h"
#include "models/statistics.h"
#include "taper/core/dict.h"

namespace taper::oracle {
namespace {

constexpr std::size_t kMaxDifferences = 8;  // reported per list

// Form of an expected value.
enum class Form : unsigned char { plain, tensor, table, near, non_finite };

bool has_only(const Json& object, std::initializer_list<const char*> fields) {
  for (const auto& [key, value] : object.items())
    if (std::find(fields.begin(), fields.end(), key) == fields.end()) return false;
  return true;
}

bool is_tagged(const Json& v, const char* tag, std::initializer_list<const char*> fields) {
  return v.contains(tag) && v.at(tag).is_string() && has_only(v, fields);
}

Form form_of(const Json& v) {
  if (!v.is_object()) return Form::plain;
  if (is_tagged(v, "t", {"t", "rtol", "atol"})) return Form::tensor;
  if (is_tagged(v, "table", {"table", "tol"})) return Form::table;
  if (is_tagged(v, "float", {"float"})) return Form::non_finite;
  if (v.contains("near") && v.at("near").is_number() && has_only(v, {"near", "rtol", "atol"}))
    return Form::near;
  return Form::plain;
}

Tolerance tolerance_in(const Json& v) { return {v.value("rtol", 0.0), v.value("atol", 0.0)}; }

double non_finite(const Json& v) {
  const Json& name = v.at("float");
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  throw MalformedCase("unknown float " + name.dump());
}

std::string shortened(std::string text) {
  constexpr std::size_t kMaxLength = 200;
  if (text.size() > kMaxLength) text = text.substr(0, kMaxLength) + "...";
  return text;
}

void fail_value(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  c.fail(what + ": got " + shortened(actual.repr()) + ", expected " + shortened(expected.dump()));
}

// Reports the first line that differs.
void expect_lines(Case& c, const std::string& what, const std::string& actual,
                  const std::string& expected) {
  if (actual == expected) return;
  std::size_t begin = 0, line = 1;
  for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    if (actual[i] != expected[i]) break;
    if (actual[i] == '\n') begin = i + 1, ++line;
  }
  const auto line_of = [begin](const std::string& text) {
    return begin < text.size() ? text.substr(begin, text.find('\n', begin) - begin) : "nothing";
  };
  c.fail(what + ", line " + std::to_string(line) + ": got\n" + line_of(actual) + "\n  expected\n" +
         line_of(expected));
}

void expect_number_of_type(Case& c, const std::string& what, const Value& actual, double expected,
                           Tolerance tolerance) {
  if (!actual.is_float())
    return c.fail(what + ": got " + shortened(actual.repr()) + ", expected a float");
  c.expect_number(what, actual.as_double(), expected, tolerance);
}

void expect_dict(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (!actual.is_dict()) return fail_value(c, what, actual, expected);
  const std::string prefix = what.empty() ? "" : what + ".";
  for (const auto& [key, value] : actual.as_dict())
    if (!expected.contains(key.as_string()))
      c.fail(prefix + key.as_string() + ": a result that is not expected");
  for (const auto& [key, value] : expected.items()) {
    if (const Value* const found = actual.find(key))
      expect_result_of_model(c, prefix + key, *found, value);
    else
      c.fail(prefix + key + ": no result");
  }
}

void expect_list(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (!actual.is_list() && !actual.is_tuple()) return fail_value(c, what, actual, expected);
  const Values& items = actual.as_sequence();
  if (items.size() != expected.size())
    c.fail(what + ": got " + std::to_string(items.size()) + " items, expected " +
           std::to_string(expected.size()));
  const std::size_t before = c.failures().size();
  for (std::size_t i = 0; i < std::min(items.size(), expected.size()); ++i) {
    if (c.failures().size() - before >= kMaxDifferences)
      return c.fail(what + ": further items were not compared");
    expect_result_of_model(c, what + "." + std::to_string(i), items[i], expected[i]);
  }
}

void expect_plain(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  if (expected.is_array()) return expect_list(c, what, actual, expected);
  if (expected.is_object()) return expect_dict(c, what, actual, expected);
  if (expected.is_string() && actual.is_string())
    return expect_lines(c, what, actual.as_string(), expected.get<std::string>());
  const Value value = plain_value(expected);
  if (actual.kind() != value.kind() || !(actual == value)) fail_value(c, what, actual, expected);
}

}  // namespace

Value plain_value(const Json& value) {
  if (value.is_null()) return nullptr;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    Values items;
    for (const Json& item : value) items.push_back(plain_value(item));
    return Value::list(std::move(items));
  }
  const Value dict = Value::dict();
  for (const auto& [key, item] : value.items()) dict.as_dict().set(key, plain_value(item));
  return dict;
}

void expect_result_of_model(Case& c, const std::string& what, const Value& actual,
                            const Json& expected) {
  switch (form_of(expected)) {
    case Form::tensor:
      if (!actual.is_tensor()) return fail_value(c, what, actual, expected);
      return c.expect_close(what, actual.as_tensor().detach(), c.tensor(expected.at("t")),
                            tolerance_in(expected));
    case Form::table:
      if (!actual.is_tensor()) return fail_value(c, what, actual, expected);
      return expect_statistics(c, what, actual.as_tensor(), c.tensor(expected.at("table")),
                               c.tensor(expected.at("tol")));
    case Form::near:
      return expect_number_of_type(c, what, actual, expected.at("near").get<double>(),
                                   tolerance_in(expected));
    case Form::non_finite: return expect_number_of_type(c, what, actual, non_finite(expected), {});
    case Form::plain: return expect_plain(c, what, actual, expected);
  }
}

void run_model_kind(Case& c, const ModelKinds& kinds) {
  c.ignore({"tier", "info"});
  const std::string kind = c.text("kind");
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw MalformedCase("unknown kind '" + kind + "'");
  const Json& expected = c.at("expected");
  expect_result_of_model(c, "", found->second(c), expected);
}

}  // namespace taper::oracle
