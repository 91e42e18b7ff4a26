#include "value_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "contents.h"
#include "words.h"

namespace taper::cli {

using taper::Value;
using Kind = Value::Kind;

bool is_sequence(const Value& v) { return v.is_list() || v.is_tuple() || v.is_set(); }

bool is_leaf(const Value& v) {
  switch (v.kind()) {
    case Kind::tensor:
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dict:
    case Kind::opaque:
    case Kind::global:
    case Kind::module: return false;
    default: return true;
  }
}

bool has_children(const Value& v) {
  if (v.kind() == Kind::opaque) return true;
  if (v.is_dict()) return v.size() > 0;
  if (!is_sequence(v)) return false;
  const auto& items = v.as_sequence();
  return !std::all_of(items.begin(), items.end(), is_leaf);
}

std::string key_text(const Value& key) {
  return key.is_string() ? key.as_string() : is_leaf(key) ? key.repr() : key.type_name();
}

std::string name_of(const Value& global) {
  if (global.kind() != Kind::global) return global.type_name();
  const auto [module, name] = global.as_global();
  return std::string(module) + "." + std::string(name);
}

std::vector<std::pair<std::string, Value>> child_values(const taper::Opaque& o) {
  std::vector<std::pair<std::string, Value>> parts;
  if (o.arguments.is_tuple())
    for (std::size_t i = 0; i < o.arguments.size(); ++i)
      parts.emplace_back("<argument " + std::to_string(i) + ">", o.arguments.as_tuple()[i]);
  if (o.state.is_dict())
    for (const auto& [key, v] : o.state.as_dict()) parts.emplace_back(key_text(key), v);
  else if (!o.state.is_none())
    parts.emplace_back("<state>", o.state);
  for (std::size_t i = 0; i < o.items.size(); ++i)
    parts.emplace_back(std::to_string(i), o.items[i]);
  for (const auto& [key, v] : o.entries) parts.emplace_back(key_text(key), v);
  return parts;
}

std::vector<std::pair<std::string, Value>> child_values(const taper::PickledModule& m) {
  std::vector<std::pair<std::string, Value>> parts;
  for (const Value* table : {&m.parameters, &m.buffers, &m.modules})
    for (const auto& [key, v] : table->as_dict())
      if (!v.is_none()) parts.emplace_back(key_text(key), v);
  for (const auto& [key, v] : m.attributes.as_dict())
    if (!is_leaf(v) && has_children(v)) parts.emplace_back(key_text(key), v);
  return parts;
}

std::string arguments_of(const taper::PickledModule& m) {
  std::string text;
  for (const auto& [key, v] : m.attributes.as_dict())
    if (!v.is_none() && (is_leaf(v) || !has_children(v)))
      text += (text.empty() ? "" : ", ") + key_text(key) + "=" + brief(v);
  return text;
}

std::string brief(const Value& v) {
  constexpr std::size_t kMaxText = 60, kMaxItems = 20;
  switch (v.kind()) {
    case Kind::string: {
      const std::string text = printable(v.as_string(), kMaxText);
      return "'" + text + "'";
    }
    case Kind::bytes: return format_count(v.size(), "byte");
    case Kind::big_integer: return printable(v.as_string(), kMaxText);
    case Kind::list:
    case Kind::tuple:
    case Kind::set: {
      const auto& items = v.as_sequence();
      std::string text;
      std::size_t n = 0;
      for (; n < std::min(items.size(), kMaxItems) && text.size() < kMaxText; ++n)
        text += (n ? ", " : "") + (is_leaf(items[n]) ? brief(items[n]) : items[n].type_name());
      if (items.size() > n) text += fmt::format(", … {} items", with_commas(items.size()));
      return v.is_list() ? "[" + text + "]" : v.is_tuple() ? "(" + text + ")" : "{" + text + "}";
    }
    case Kind::dict: return v.size() ? with_commas(v.size()) + " entries" : "{}";
    default: return is_leaf(v) ? printable(v.repr(), kMaxText) : v.type_name();
  }
}

}  // namespace taper::cli
