// Access to options and state by name, fast enough for every step.
#pragma once
#include <string_view>

#include "core/check.h"
#include "taper/optim/param_group.h"

namespace taper::optim {

/// Returns the entry `name`, or null. A linear search is faster than hashing for few entries.
inline const Value* find_named(const Value& dict, std::string_view name) {
  for (const auto& [key, value] : dict.as_dict())
    if (key.is_string() && key.as_string() == name) return &value;
  return nullptr;
}

inline const Value& option(const ParamGroup& group, std::string_view name) {
  if (const Value* found = find_named(group.options(), name)) return *found;
  fail<KeyError>("'{}'", name);
}
/// Returns an option that is a number or a one-element tensor.
inline double number_option(const ParamGroup& group, std::string_view name) {
  const Value& v = option(group, name);
  return v.is_tensor() ? v.as_tensor().item().to_double() : v.as_double();
}
inline bool flag_option(const ParamGroup& group, std::string_view name) {
  const Value& v = option(group, name);
  return !v.is_none() && v.as_bool();
}

/// Returns the tensor `name` of a state, or an undefined tensor.
inline Tensor state_tensor(const Value& state, std::string_view name) {
  if (state.is_none()) return {};
  const Value* found = find_named(state, name);
  return found && !found->is_none() ? found->as_tensor() : Tensor();
}
inline void keep(Value& state, std::string_view name, const Tensor& t) {
  if (state.is_none()) state = Value::dict();
  state[name] = t;
}

}  // namespace taper::optim
