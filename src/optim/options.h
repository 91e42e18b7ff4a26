// Access to options and state by name, fast enough for every step.
#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
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

/// Returns an option that is a pair of numbers.
inline std::pair<double, double> pair_option(const ParamGroup& group, std::string_view name) {
  const Values& v = option(group, name).as_sequence();
  if (v.size() != 2) fail<ValueError>("{}: expected two numbers, got {}", name, v.size());
  const auto number = [](const Value& x) {
    return x.is_tensor() ? x.as_tensor().item().to_double() : x.as_double();
  };
  return {number(v[0]), number(v[1])};
}

/// Returns the learning rate if a recorded step is differentiable with respect to it: a tensor that
/// requires grad. Otherwise returns null.
inline const Tensor* recorded_lr(const ParamGroup& group) {
  if (!is_grad_enabled()) return nullptr;
  const Value& lr = option(group, "lr");
  return lr.is_tensor() && lr.as_tensor().requires_grad() ? &lr.as_tensor() : nullptr;
}
/// Throws PyTorch's TypeError if a recorded step would have to be differentiable with respect to
/// the learning rate. `argument` is the argument of PyTorch's function that must be a number.
inline void reject_recorded_lr(const ParamGroup& group, std::string_view argument) {
  if (recorded_lr(group)) fail<TypeError>("{} must be Number, not Tensor", argument);
}

/// Returns true if a parameter has no state yet.
inline bool is_empty_state(const Value& state) {
  return state.is_none() || state.as_dict().empty();
}
/// Returns the tensor `name` of a state, or an undefined tensor.
inline Tensor state_tensor(const Value& state, std::string_view name) {
  if (state.is_none()) return {};
  const Value* found = find_named(state, name);
  return found && !found->is_none() ? found->as_tensor() : Tensor();
}
// Conversion and validation of the options of constructors.

template <class T> Value option_value(const T& v) { return v; }
template <class T> Value option_value(const std::optional<T>& v) { return v ? Value(*v) : Value(); }
template <class A, class B> Value option_value(const std::pair<A, B>& v) {
  return Value::tuple({option_value(v.first), option_value(v.second)});
}
template <class T, std::size_t N> Value option_value(const std::array<T, N>& v) {
  return Value::tuple(Values(v.begin(), v.end()));
}
/// Returns the fields of an options struct as the defaults of parameter groups.
template <class Options> Value dict_of(const Options& options) {
  Value dict = Value::dict();
  Options::taper_visit(options, [&](std::string_view name, const auto& field) {
    dict[Value(name)] = option_value(field);
  });
  return dict;
}

/// Throws PyTorch's ValueError unless 0 <= v; NaN is rejected.
inline void check_not_negative(std::string_view what, const Scalar& v) {
  if (!(v.to_double() >= 0)) fail<ValueError>("Invalid {}: {}", what, v.str());
}
inline void check_betas(const std::pair<Scalar, Scalar>& betas) {
  const auto check = [](int index, const Scalar& beta) {
    if (!(beta.to_double() >= 0 && beta.to_double() < 1))
      fail<ValueError>("Invalid beta parameter at index {}: {}", index, beta.str());
  };
  check(0, betas.first);
  check(1, betas.second);
}
inline void check_fused(const std::optional<bool>& fused, const std::optional<bool>& foreach,
                        bool differentiable) {
  if (!fused.value_or(false)) return;
  if (differentiable) fail<RuntimeError>("`fused` does not support `differentiable`");
  if (foreach.value_or(false))
    fail<RuntimeError>("`fused` and `foreach` cannot be `True` together.");
}

/// Throws ValueError unless `value`, the entry `name` of the state of a parameter, is a tensor of
/// this shape. `op` is the caller.
inline void check_state_tensor(std::string_view op, std::string_view name, const Value* value,
                               const Shape& shape) {
  if (!value || !value->is_tensor())
    fail<ValueError>("{}: {} must be a tensor, got {}", op, name,
                     value ? value->type_name() : "no entry");
  if (const Shape& got = value->as_tensor().shape(); !(got == shape))
    fail<ValueError>("{}: {}: got shape {}, expected {}", op, name, got, shape);
}

inline void set_state_tensor(Value& state, std::string_view name, const Tensor& t) {
  if (state.is_none()) state = Value::dict();
  state[name] = t;
}

}  // namespace taper::optim
