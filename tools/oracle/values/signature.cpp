#include "values/signature.h"

#include <algorithm>
#include <stdexcept>

namespace taper::oracle {
namespace {

bool is_sequence(const Value& v) { return v.is_list() || v.is_tuple(); }

bool is_ints(const Value& v) {
  if (v.is_int() || v.kind() == Value::Kind::size) return true;
  if (!is_sequence(v)) return false;
  const auto items = v.as_sequence();
  return std::all_of(items.begin(), items.end(), [](const Value& item) { return item.is_int(); });
}

using Predicate = bool (*)(const Value&);

const std::map<std::string, Predicate, std::less<>>& types() {
  static const std::map<std::string, Predicate, std::less<>> all = {
      {"Tensor", [](const Value& v) { return v.is_tensor(); }},
      {"int", [](const Value& v) { return v.is_int(); }},
      {"ints", is_ints},
      {"Number", [](const Value& v) { return v.is_bool() || v.is_int() || v.is_float(); }},
      {"bool", [](const Value& v) { return v.is_bool(); }},
      {"str", [](const Value& v) { return v.is_string(); }},
      {"dtype", [](const Value& v) { return v.kind() == Value::Kind::dtype; }},
      {"None", [](const Value& v) { return v.is_none(); }}};
  return all;
}

// Removes and returns the text up to `separator`.
std::string_view consume_until(std::string_view& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + separator.size());
  return head;
}

bool consume_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

Signature::Signature(std::string_view text) {
  std::string_view rest = text;
  name_ = consume_until(rest, "(");
  if (!consume_suffix(rest, ")"))
    throw std::logic_error("no closing parenthesis: " + std::string(text));
  bool keyword_only = false;
  while (!rest.empty()) {
    const std::string_view one = consume_until(rest, ", ");
    if (one == "*") {
      keyword_only = true;
      continue;
    }
    parameters_.push_back(parse_parameter(one));
    parameters_.back().keyword_only = keyword_only;
  }
}

Signature::Parameter Signature::parse_parameter(std::string_view text) const {
  std::string_view name = text;
  std::string_view alternatives = consume_until(name, " ");
  Parameter p;
  p.has_default = name.find('=') != std::string_view::npos;
  p.name = consume_until(name, "=");
  if (consume_suffix(alternatives, "...")) {
    p.is_variadic = true;
    p.types.emplace_back("ints");
    return p;
  }
  if (consume_suffix(alternatives, "?")) p.types.emplace_back("None");
  while (!alternatives.empty()) p.types.emplace_back(consume_until(alternatives, "|"));
  for (const std::string& type : p.types)
    if (!types().contains(type))
      throw std::logic_error("unknown type '" + type + "' of " + name_ + "(" + p.name + ")");
  return p;
}

bool Signature::Parameter::accepts(const Value& value) const {
  return std::any_of(types.begin(), types.end(),
                     [&](const std::string& type) { return oracle::types().at(type)(value); });
}

bool Signature::has_parameter(const std::string& name) const {
  return std::any_of(parameters_.begin(), parameters_.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

std::optional<NamedValues> Signature::bind(const Values& positional,
                                           const NamedValues& named) const {
  NamedValues bound_values;
  std::size_t next = 0, used_named = 0;
  for (const Parameter& p : parameters_) {
    const auto by_name = named.find(p.name);
    std::optional<Value> given;
    if (!p.keyword_only && next < positional.size()) {
      if (by_name != named.end()) return std::nullopt;
      if (p.is_variadic && positional[next].is_int()) {
        given = Value::list(
            Values(positional.begin() + static_cast<std::ptrdiff_t>(next), positional.end()));
        next = positional.size();
      } else {
        given = positional[next++];
      }
    } else if (by_name != named.end()) {
      given = by_name->second;
      ++used_named;
    }
    if (given ? !p.accepts(*given) : !p.has_default) return std::nullopt;
    if (given && !(given->is_none() && p.has_default)) bound_values.emplace(p.name, *given);
  }
  if (next < positional.size() || used_named < named.size()) return std::nullopt;
  return bound_values;
}

}  // namespace taper::oracle
