#include "huggingface/config.h"

#include <utility>

#include "huggingface/json.h"
#include "taper/core/error.h"

namespace huggingface {

using namespace taper;

ConfigReader::ConfigReader(const Value& config, std::string name)
    : config_(config), name_(std::move(name)) {
  if (!config.is_dict())
    throw TypeError(name_ + ": expected a JSON object, got " + config.type_name());
}

void ConfigReader::fail(const std::string& text) const { throw ValueError(name_ + ": " + text); }

void ConfigReader::fail_type(const char* key, const char* expected) const {
  const Value& entry = *find(key);
  throw TypeError(name_ + ": '" + key + "' must be " + expected + ", got " + entry.repr());
}

const Value* ConfigReader::find_value(const char* key) const {
  const Value* entry = find(key);
  return entry && !entry->is_none() ? entry : nullptr;
}

const ConfigReader& ConfigReader::operator()(const char* key, std::int64_t& field) const {
  const Value* entry = find_value(key);
  if (!entry) return *this;
  if (!entry->is_int()) fail_type(key, "an integer");
  field = entry->as_int();
  return *this;
}

const ConfigReader& ConfigReader::operator()(const char* key, double& field) const {
  const Value* entry = find_value(key);
  if (!entry) return *this;
  if (!entry->is_int() && !entry->is_float()) fail_type(key, "a number");
  field = entry->as_double();
  return *this;
}

const ConfigReader& ConfigReader::operator()(const char* key, bool& field) const {
  const Value* entry = find_value(key);
  if (!entry) return *this;
  if (!entry->is_bool()) fail_type(key, "true or false");
  field = entry->as_bool();
  return *this;
}

const ConfigReader& ConfigReader::operator()(const char* key, std::string& field) const {
  const Value* entry = find_value(key);
  if (!entry) return *this;
  if (!entry->is_string()) fail_type(key, "a string");
  field = entry->as_string();
  return *this;
}

const ConfigReader& ConfigReader::operator()(const char* key, TokenIds& field) const {
  const Value* entry = find(key);
  if (!entry) return *this;
  constexpr const char* kExpected = "an integer, a list of integers or null";
  TokenIds ids;
  if (entry->is_int()) {
    ids.push_back(entry->as_int());
  } else if (entry->is_list()) {
    for (const Value& id : entry->as_sequence()) {
      if (!id.is_int()) fail_type(key, kExpected);
      ids.push_back(id.as_int());
    }
  } else if (!entry->is_none()) {
    fail_type(key, kExpected);
  }
  field = std::move(ids);
  return *this;
}

const ConfigReader& ConfigReader::operator()(const char* key, DType& field) const {
  static constexpr std::pair<std::string_view, DType> kNames[] = {
      {"float32", float32}, {"float16", float16}, {"bfloat16", bfloat16}, {"float64", float64}};
  std::string text;
  (*this)(key, text);
  std::string_view name = text;
  constexpr std::string_view kModule = "torch.";
  if (name.starts_with(kModule)) name.remove_prefix(kModule.size());
  for (const auto& [known, dtype] : kNames)
    if (name == known) return field = dtype, *this;
  fail_type(key, "float32, float16, bfloat16 or float64");
}

const ConfigReader& ConfigReader::operator()(PretrainedConfig& c) const {
  c.visit(*this);
  (*this)("torch_dtype", c.dtype)("dtype", c.dtype)("num_labels", c.num_labels);
  if (const Value* labels = find_value("id2label")) {
    if (!labels->is_dict()) fail_type("id2label", "an object");
    c.num_labels = static_cast<std::int64_t>(labels->size());
    for (std::int64_t i = 0; i < c.num_labels; ++i) {
      const Value* label = labels->find(std::to_string(i));
      if (!label || !label->is_string()) fail_type("id2label", "an object of names 0, 1, ...");
      c.id2label.push_back(label->as_string());
    }
  }
  static constexpr std::string_view kProblems[] = {"regression", "single_label_classification",
                                                   "multi_label_classification"};
  if (!c.problem_type) return *this;
  for (std::string_view known : kProblems)
    if (*c.problem_type == known) return *this;
  fail("unknown problem_type '" + *c.problem_type + "'");
}

void ConfigReader::expect_sizes(
    std::initializer_list<std::pair<const char*, std::int64_t>> sizes) const {
  constexpr std::int64_t kMax = 0x7fffffff;  // products of two sizes fit
  for (const auto& [key, size] : sizes)
    if (size < 1 || size > kMax)
      fail("'" + std::string(key) + "' must be a positive size, got " + std::to_string(size));
}

void ConfigReader::expect_layers(const char* key, std::int64_t count) const {
  constexpr std::int64_t kMax = 10000;
  if (count < 0 || count > kMax)
    fail("'" + std::string(key) + "' must be between 0 and 10000, got " + std::to_string(count));
}

Value ConfigWriter::list_of(const TokenIds& ids) {
  if (ids.empty()) return {};
  return ids.size() == 1 ? Value(ids[0]) : Value::list(Values(ids.begin(), ids.end()));
}

const ConfigWriter& ConfigWriter::operator()(const PretrainedConfig& config) const {
  PretrainedConfig c = config;
  (*this)("pad_token_id", Value())("bos_token_id", Value());  // absent ones would be the defaults
  c.visit(*this);
  (*this)("dtype", c.dtype);
  if (c.num_labels == 2 && c.id2label.empty()) return *this;
  const Value names = Value::dict(), indices = Value::dict();
  for (std::int64_t i = 0; i < c.num_labels; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string index = std::to_string(i);
    const std::string name = at < c.id2label.size() ? c.id2label[at] : "LABEL_" + index;
    names[index] = name, indices[name] = i;
  }
  return (*this)("id2label", names)("label2id", indices);
}

void ConfigReader::expect_model_type(const char* model_type) const {
  std::optional<std::string> found;
  (*this)("model_type", found);
  if (found && *found != model_type)
    fail("model_type is '" + *found + "', expected '" + model_type + "'");
}

void ConfigReader::reject_if_true(const char* key) const {
  std::optional<bool> flag;
  (*this)(key, flag);
  if (flag.value_or(false))
    throw NotImplementedError(name_ + ": '" + key + "' = true is not supported");
}

Value read_config(const std::string& folder) { return read_json(folder + "/config.json"); }

}  // namespace huggingface
