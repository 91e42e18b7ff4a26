#include "training/autograd/record.h"

#include <cmath>
#include <limits>

#include "core/dtype_table.h"
#include "taper/core/generator.h"

namespace taper::oracle::scenario {
namespace {

using Json = nlohmann::json;

double recorded_number(const Json& v) {
  if (v == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (v == "inf") return std::numeric_limits<double>::infinity();
  if (v == "-inf") return -std::numeric_limits<double>::infinity();
  return v.get<double>();
}

bool is_near(double actual, double expected) {
  if (std::isnan(expected)) return std::isnan(actual);
  return actual == expected || std::abs(actual - expected) <= 1e-6 + 1e-5 * std::abs(expected);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

void Record::compare(const std::string& what, const Value& actual, const Json& expected) {
  const auto differs = [&] {
    fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
  };
  if (expected.is_array()) {
    if (!actual.is_list() && !actual.is_tuple()) return differs();
    const Values& items = actual.as_sequence();
    if (items.size() != expected.size()) return differs();
    for (std::size_t i = 0; i < items.size(); ++i)
      compare(what + "[" + std::to_string(i) + "]", items[i], expected[i]);
  } else if (expected.is_object()) {
    for (const auto& [key, value] : expected.items())
      if (actual.contains(key))
        compare(what + "." + key, actual[key], value);
      else
        fail(what + " has no " + key);
  } else if (expected.is_null()) {
    if (!actual.is_none()) differs();
  } else if (expected.is_boolean()) {
    if (!actual.is_bool() || actual.as_bool() != expected.get<bool>()) differs();
  } else if (actual.is_string()) {
    if (!expected.is_string() || actual.as_string() != expected.get<std::string>()) differs();
  } else if ((!actual.is_int() && !actual.is_float()) ||
             !is_near(actual.as_double(), recorded_number(expected))) {
    differs();
  }
}

void Record::check_error(const std::string& name, const std::string& text,
                         std::initializer_list<const char*> words) {
  const Json& expected = next("error", name);
  if (text.empty() != expected.at("type").is_null())
    fail(name + ": got '" + text + "', PyTorch reports " + expected.at("text").dump());
  for (const char* word : words)
    if (!contains(text, word)) fail(name + ": '" + text + "' does not contain '" + word + "'");
}

const Json& Record::next(const char* kind, const std::string& name) {
  if (consumed_ >= results_.size())
    throw std::runtime_error("no result is recorded for '" + name + "'");
  const Json& result = results_[consumed_++];
  if (!result.contains(kind) || result[kind] != name)
    throw std::runtime_error("at '" + name + "': expected " + result.dump());
  return result;
}

void Record::show(const std::string& name, const Tensor& t) {
  const Json& expected = next("show", name);
  if (expected.contains("value")) {
    if (!expected["value"].is_null() || t.defined())
      fail(name + ": got a tensor or None, expected " + expected["value"].dump());
    return;
  }
  if (!t.defined()) return fail(name + ": got None, expected a tensor");
  const std::string dtype(names_of(t.dtype()).brief);
  if (dtype != expected.at("dtype").get<std::string>())
    fail(name + ": got dtype " + dtype + ", expected " + expected["dtype"].dump());
  const Shape shape(expected.at("shape").get<std::vector<std::int64_t>>());
  if (!(t.shape() == shape))
    return fail(name + ": got shape " + t.shape().str() + ", expected " + shape.str());
  compare(name, tolist(t), expected.at("tensor"));
}

void Record::show(const std::string& name, const Value& v) {
  if (v.is_tensor()) return show(name, v.as_tensor());
  compare(name, v, next("show", name).at("value"));
}

void Record::finish() {
  if (consumed_ < results_.size()) fail("the scenario does not show " + results_[consumed_].dump());
}

std::optional<std::vector<std::string>> run_scenario(const std::string& id, const Json& results) {
  for (const auto scenarios :
       {accumulation_scenarios, hooks_scenarios, in_place_scenarios, higher_order_scenarios,
        functions_scenarios, kinks_scenarios, modules_scenarios})
    for (const Scenario& s : scenarios()) {
      if (s.id != id) continue;
      manual_seed(0);
      Record record(results);
      s.run(record);
      record.finish();
      return record.failures();
    }
  return std::nullopt;
}

Value tolist(const Tensor& t) {
  if (t.dim() == 0) return t.item();
  Values items;
  for (std::int64_t i = 0; i < t.size(0); ++i) items.push_back(tolist(t[i]));
  return Value::list(std::move(items));
}

}  // namespace taper::oracle::scenario
