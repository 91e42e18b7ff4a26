#include "transform_arguments.h"

#include <algorithm>

#include "core/check.h"
#include "taper/core/dict.h"

namespace taper::tools {

using data::transforms::Numbers;

namespace {

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool is_list(const Value& value) { return value.is_list() || value.is_tuple(); }

}  // namespace

TransformArguments::TransformArguments(std::string name, std::string_view parameters,
                                       const Values& args, const Value& kwargs)
    : name_(std::move(name)) {
  const std::vector<std::string> names = split_words(parameters);
  if (args.size() > names.size())
    fail<TypeError>("{}() takes {} positional arguments but {} were given", name_, names.size(),
                    args.size());
  for (std::size_t i = 0; i < args.size(); ++i) values_.emplace_back(names[i], args[i]);
  if (kwargs.is_none()) return;
  for (const auto& [key, value] : kwargs.as_dict()) {
    const std::string& word = key.as_string();
    if (std::find(names.begin(), names.end(), word) == names.end())
      fail<TypeError>("{}() got an unexpected keyword argument '{}'", name_, word);
    if (find(word.c_str()))
      fail<TypeError>("{}() got multiple values for argument '{}'", name_, word);
    values_.emplace_back(word, value);
  }
}

const Value* TransformArguments::find(const char* name) const {
  for (const auto& [word, value] : values_)
    if (word == name) return &value;
  return nullptr;
}

const Value& TransformArguments::at(const char* name) const {
  if (const Value* const value = find(name)) return *value;
  fail<TypeError>("{}() missing required argument: '{}'", name_, name);
}

void TransformArguments::reject(const char* name, const char* expected, const Value& got) const {
  fail<TypeError>("{}(): {}: expected {}, got {}", name_, name, expected, got.repr());
}

std::int64_t TransformArguments::to_integer(const char* name, const Value& value) const {
  if (!value.is_int()) reject(name, "an integer", value);
  return value.as_int();
}
double TransformArguments::to_number(const char* name, const Value& value) const {
  if (!value.is_int() && !value.is_float()) reject(name, "a number", value);
  return value.as_double();
}

bool TransformArguments::flag(const char* name, bool default_value) const {
  const Value* const value = find(name);
  if (!value) return default_value;
  if (!value->is_bool()) reject(name, "a bool", *value);
  return value->as_bool();
}

double TransformArguments::number(const char* name) const { return to_number(name, at(name)); }
double TransformArguments::number(const char* name, double default_value) const {
  const Value* const value = find(name);
  return value ? to_number(name, *value) : default_value;
}

std::int64_t TransformArguments::integer(const char* name) const {
  return to_integer(name, at(name));
}
std::int64_t TransformArguments::integer(const char* name, std::int64_t default_value) const {
  return optional_integer(name).value_or(default_value);
}
std::optional<std::int64_t> TransformArguments::optional_integer(const char* name) const {
  const Value* const value = find(name);
  if (!value || value->is_none()) return {};
  return to_integer(name, *value);
}

std::string TransformArguments::text(const char* name, const std::string& default_value) const {
  const Value* const value = find(name);
  if (!value) return default_value;
  if (!value->is_string()) reject(name, "a string", *value);
  return value->as_string();
}

Numbers TransformArguments::numbers(const char* name, const Numbers& default_value) const {
  const Value* const value = find(name);
  if (!value) return default_value;
  if (value->is_none()) return {};
  if (!is_list(*value)) return to_number(name, *value);
  std::vector<double> list;
  for (const Value& item : value->as_sequence()) list.push_back(to_number(name, item));
  return list;
}

std::array<double, 2> TransformArguments::pair(const char* name,
                                               const std::array<double, 2>& default_value) const {
  return optional_pair(name).value_or(default_value);
}
std::optional<std::array<double, 2>> TransformArguments::optional_pair(const char* name) const {
  const Value* const value = find(name);
  if (!value || value->is_none()) return {};
  if (!is_list(*value) || value->size() != 2) reject(name, "two numbers", *value);
  const Values& items = value->as_sequence();
  return std::array{to_number(name, items[0]), to_number(name, items[1])};
}

Shape TransformArguments::shape(const char* name) const {
  const Value* const value = find(name);
  if (!value || value->is_none()) return {};
  if (!is_list(*value)) return Shape(to_integer(name, *value));
  Shape list;
  for (const Value& item : value->as_sequence()) list.push_back(to_integer(name, item));
  return list;
}

Tensor TransformArguments::tensor(const char* name) const {
  const Value& value = at(name);
  if (!value.is_tensor()) reject(name, "a tensor", value);
  return value.as_tensor();
}

DType TransformArguments::dtype(const char* name) const {
  const Value& value = at(name);
  if (value.kind() != Value::Kind::dtype) reject(name, "a dtype", value);
  return value.as_dtype();
}

}  // namespace taper::tools
