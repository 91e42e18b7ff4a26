#include "huggingface/json.h"

// A name of our own, so that the linker does not merge these functions with those of a program that
// includes the library with other options.
#define nlohmann taper_nlohmann
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "taper/core/error.h"

namespace huggingface {

using namespace taper;

namespace {

using Json = nlohmann::ordered_json;

Value to_value(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean: return json.get<bool>();
    case Json::value_t::number_integer: return json.get<std::int64_t>();
    case Json::value_t::number_unsigned: return Value::big_integer(json.dump());
    case Json::value_t::number_float: return json.get<double>();
    case Json::value_t::string: return json.get_ref<const std::string&>();
    case Json::value_t::array: {
      Values items;
      for (const Json& item : json) items.push_back(to_value(item));
      return Value::list(std::move(items));
    }
    case Json::value_t::object: {
      Value dict = Value::dict();
      for (const auto& [key, item] : json.items()) dict.as_dict().set(key, to_value(item));
      return dict;
    }
    default: return {};
  }
}

Json from_value(const Value& value) {
  if (value.is_none()) return nullptr;
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_float()) return value.as_double();
  if (value.is_string()) return value.as_string();
  if (value.is_list()) {
    Json items = Json::array();
    for (const Value& item : value.as_sequence()) items.push_back(from_value(item));
    return items;
  }
  if (!value.is_dict()) throw TypeError("JSON does not have values of type " + value.type_name());
  Json object = Json::object();
  for (const auto& [key, item] : value.as_dict()) object[key.as_string()] = from_value(item);
  return object;
}

}  // namespace

Value parse_json(std::string_view text, const std::string& name) {
  constexpr int kMaxDepth = 64;  // the parser and the conversion are recursive
  const auto check_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw IoError(name + ": JSON nested too deeply");
    return true;
  };
  try {
    return to_value(Json::parse(text, check_depth));
  } catch (const Json::exception& error) {
    throw IoError(name + ": invalid JSON: " + error.what());
  }
}

Value read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw IoError(path + ": cannot be read");
  return parse_json(text.str(), path);
}

void write_json(const std::string& path, const Value& value) {
  const std::string text = from_value(value).dump(2) + "\n";
  std::ofstream file(path, std::ios::binary);
  if (!(file << text).flush()) throw IoError(path + ": cannot be written");
}

}  // namespace huggingface
