#include "kit/arguments.h"

#include "cases/outcome.h"
#include "taper/core/error.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

using data::transforms::Numbers;

std::array<double, 2> to_pair(const Json& value) {
  if (!value.is_array() || value.size() != 2)
    throw TypeError("expected two numbers, got " + value.dump());
  return {read_number(value.at(0)), read_number(value.at(1))};
}

}  // namespace

bool KitArguments::flag(const char* name, bool default_value) {
  const Json* value = find(name);
  return value ? read_bool(*value) : default_value;
}

double KitArguments::number(const char* name, double default_value) {
  const Json* value = find(name);
  return value ? read_number(*value) : default_value;
}

std::int64_t KitArguments::integer(const char* name, std::int64_t default_value) {
  return optional_integer(name).value_or(default_value);
}

std::optional<std::int64_t> KitArguments::optional_integer(const char* name) {
  const Json* value = find(name);
  if (!value || value->is_null()) return {};
  return read_integer(*value);
}

std::string KitArguments::text(const char* name, const std::string& default_value) {
  const Json* value = find(name);
  return value ? value->get<std::string>() : default_value;
}

Numbers KitArguments::numbers(const char* name, const Numbers& default_value) {
  const Json* value = find(name);
  if (!value) return default_value;
  if (value->is_null()) return {};
  if (!value->is_array()) return read_number(*value);
  std::vector<double> list;
  for (const Json& item : *value) list.push_back(read_number(item));
  return list;
}

std::array<double, 2> KitArguments::pair(const char* name,
                                         const std::array<double, 2>& default_value) {
  return optional_pair(name).value_or(default_value);
}

std::optional<std::array<double, 2>> KitArguments::optional_pair(const char* name) {
  const Json* value = find(name);
  if (!value || value->is_null()) return {};
  return to_pair(*value);
}

Shape KitArguments::shape(const char* name) {
  const Json* value = find(name);
  if (!value || value->is_null()) return {};
  if (!value->is_array()) return Shape(read_integer(*value));
  Shape list;
  for (const Json& item : *value) list.push_back(read_integer(item));
  return list;
}

DType KitArguments::dtype(const char* name) {
  Fields fields(fields_.at(name));
  const DType dtype = dtype_named(fields.text("dtype"));
  fields.done();
  return dtype;
}

}  // namespace taper::oracle
