#include "huggingface/json.h"

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

}  // namespace huggingface
