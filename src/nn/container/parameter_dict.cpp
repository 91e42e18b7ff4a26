#include "taper/nn/parameter_dict.h"

#include <algorithm>

#include "core/check.h"
#include "nn/container/arguments.h"
#include "nn/container/children.h"
#include "nn/container/element_text.h"
#include "nn/container/pairs.h"
#include "nn/module/registration.h"
#include "nn/module/type_text.h"

namespace taper::nn {
namespace {

const std::string& require_string_key(const Value& key) {
  if (!key.is_string())
    fail<TypeError>(
        "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
        "'{}'). Open an issue on github if you need non-string keys.",
        key.type_name());
  return key.as_string();
}

}  // namespace

TAPER_DETAIL_LAYER_CLASS(ParameterDict) {}

Tensor ParameterDict::call_tensor(const Tensor&) {
  fail<RuntimeError>("ParameterDict should not be called.");
}
Value ParameterDict::forward_values(Values&) {
  fail<RuntimeError>("ParameterDict should not be called.");
}

bool ParameterDict::contains(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}
Value ParameterDict::at(std::string_view name) const { return get_attr(name); }
Value ParameterDict::get(std::string_view name, const Value& fallback) const {
  return contains(name) ? at(name) : fallback;
}
void ParameterDict::set(std::string_view name, const detail::ParameterElement& element) {
  set_attr(name, element.value);
  if (!contains(name)) names_.emplace_back(name);
}
Ignorable<Value> ParameterDict::setdefault(std::string_view name,
                                           const detail::ParameterElement& element) {
  if (!contains(name)) set(name, element);
  return at(name);
}

void ParameterDict::erase(std::string_view name) {
  if (!contains(name)) throw_key_error(name);
  std::erase(names_, name);
  erase_entry(*this, name);
}
Ignorable<Value> ParameterDict::pop(std::string_view name) {
  Value removed = at(name);
  erase(name);
  return removed;
}
std::pair<std::string, Value> ParameterDict::popitem() {
  if (names_.empty()) throw_key_error("popitem(): dictionary is empty");
  std::string name = names_.back();
  Value removed = pop(name);
  return {std::move(name), std::move(removed)};
}
void ParameterDict::clear() {
  while (!names_.empty()) erase(std::string(names_.back()));
}

void ParameterDict::update(std::initializer_list<Item> items) {
  for (const auto& [name, element] : items) set(name, element);
}
void ParameterDict::update(const std::vector<Item>& items) {
  for (const auto& [name, element] : items) set(name, element);
}
void ParameterDict::update(const ParameterDict& other) {
  for (const auto& [name, v] : other.items()) set(name, v);
}
void ParameterDict::update(const Value& items) {
  auto pairs = to_pairs(items, "ParametersDict.update", "ParameterDict update sequence element");
  if (items.is_dict() && items.as_dict().class_name() != "collections.OrderedDict")
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      return require_string_key(a.first) < require_string_key(b.first);
    });
  for (const auto& [key, v] : pairs) set(require_string_key(key), v);
}

std::vector<std::pair<std::string, Value>> ParameterDict::items() const {
  std::vector<std::pair<std::string, Value>> all;
  for (const std::string& name : names_) all.emplace_back(name, at(name));
  return all;
}
Values ParameterDict::values() const {
  Values all;
  for (const std::string& name : names_) all.push_back(at(name));
  return all;
}
std::vector<std::string> ParameterDict::reversed() const {
  return {names_.rbegin(), names_.rend()};
}

ParameterDict ParameterDict::copy() const {
  ParameterDict result;
  result.update(*this);
  return result;
}
ParameterDict ParameterDict::fromkeys(const std::vector<std::string>& names,
                                      const detail::ParameterElement& element) {
  ParameterDict result;
  for (const std::string& name : names) result.set(name, element);
  return result;
}

ParameterDict ParameterDict::operator|(const ParameterDict& other) const {
  ParameterDict merged = copy();
  merged.update(other);
  return merged;
}
Value ParameterDict::merged_into(const Value& dict) const {
  Value merged = dict.as_dict().copy();
  for (const auto& [name, v] : items()) merged.as_dict().set(name, v);
  return merged;
}
ParameterDict& ParameterDict::operator|=(const ParameterDict& other) {
  update(other);
  return *this;
}
ParameterDict& ParameterDict::operator|=(const Value& other) {
  update(other);
  return *this;
}

std::string ParameterDict::extra_repr() const {
  std::string out;
  for (const auto& [name, v] : items())
    out += (out.empty() ? "" : "\n") + format_element(name, v, legacy_type);
  return out;
}

const ModuleSchema& module_schema(const ParameterDict*) {
  static constexpr ModuleSchema schema = layer_schema<ParameterDict>(
      "ParameterDict", "container", "parameters=None",
      [](const Arguments& a) {
        return a["parameters"].is_none() ? ParameterDict() : ParameterDict(a["parameters"]);
      },
      [](const ParameterDict& m) -> Values {
        const Value all = Value::ordered_dict();
        for (const auto& [name, v] : m.items()) all.as_dict().set(name, zeroed_element(v));
        return {all};
      });
  return schema;
}

}  // namespace taper::nn
