// State dicts of optimizers, in Python's form.
#include <algorithm>
#include <map>

#include "core/check.h"
#include "optim/hooks.h"
#include "taper/optim/optimizer.h"

namespace taper::optim {
namespace {

/// Returns a copy that does not share containers or tensors with `value`.
Value deep_copy(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::tensor: return value.as_tensor().detach().clone();
    case Value::Kind::dict: {
      Value result = value.as_dict().copy();
      for (const auto& [key, entry] : value.as_dict()) result[key] = deep_copy(entry);
      return result;
    }
    case Value::Kind::list:
    case Value::Kind::tuple: {
      Values items;
      for (const Value& item : value.as_sequence()) items.push_back(deep_copy(item));
      return value.with_items(std::move(items));
    }
    default: return value;
  }
}

/// Returns a copy of `value`, a state of `param` or the entry `key` of one. Tensors are moved to
/// the device of the parameter and converted to its dtype if that is a floating-point type, except
/// `step`, because a dtype of low precision cannot count steps.
Value convert_state(const Value& value, const Tensor& param, const Value& key) {
  Value result = deep_copy(value);
  if (value.is_tensor()) {
    if (key.is_string() && key.as_string() == "step") return result;
    const Tensor& t = result.as_tensor();
    return param.is_floating_point() ? t.to(param.device(), param.dtype()) : t.to(param.device());
  }
  if (value.is_dict())
    for (const auto& [name, entry] : value.as_dict())
      result[name] = convert_state(entry, param, name);
  if (value.is_list() || value.is_tuple()) {
    Values items;
    for (const Value& item : value.as_sequence()) items.push_back(convert_state(item, param, {}));
    return value.with_items(std::move(items));
  }
  return result;
}

const Value& find_typed_entry(const Value& dict, const char* name, bool (Value::*has_kind)() const,
                              const char* expected) {
  const Value* found = dict.is_dict() ? dict.find(name) : nullptr;
  if (!found || !(found->*has_kind)())
    fail<ValueError>("load_state_dict: expected a dict with a {} '{}', got {}", expected, name,
                     found ? found->type_name() : dict.type_name());
  return *found;
}

}  // namespace

Value Optimizer::state_dict() {
  if (hooks_) run_hooks(hooks_->before_state_dict, *this);
  Value state = Value::dict(), packed = Value::list();
  std::map<const TensorImpl*, std::int64_t> param_ids;
  std::int64_t next = 0;
  for (const ParamGroup& group : groups_) {
    Value entry = Value::dict(), ids = Value::list();
    if (!group.names_.empty()) {
      Value names = Value::list();
      for (const std::string& name : group.names_) names.append(name);
      entry["param_names"] = names;
    }
    for (const auto& [name, value] : group.options_.as_dict()) entry[name] = value;
    for (std::size_t i = 0; i < group.params_.size(); ++i, ++next) {
      const auto [it, inserted] = param_ids.try_emplace(group.params_[i].impl(), next);
      ids.append(it->second);
      if (inserted && !group.states_[i].is_none()) state[next] = group.states_[i].as_dict().copy();
    }
    entry["params"] = ids;
    packed.append(entry);
  }
  Value result = Value::dict({{"state", state}, {"param_groups", packed}});
  if (hooks_) run_hooks(hooks_->after_state_dict, *this, result);
  return result;
}

void Optimizer::load_state_dict(const Value& state_dict) {
  Value given = state_dict.is_dict() ? state_dict.as_dict().copy() : state_dict;
  if (hooks_) run_hooks(hooks_->before_load, *this, given);
  load(given);
  if (hooks_) run_hooks(hooks_->after_load, *this);
}

void Optimizer::load(const Value& given) {
  const Value& saved = find_typed_entry(given, "param_groups", &Value::is_list, "list");
  const Value& saved_state = find_typed_entry(given, "state", &Value::is_dict, "dict");
  if (saved.size() != groups_.size())
    fail<ValueError>("loaded state dict has a different number of parameter groups");

  std::vector<ParamGroup> loaded = groups_;  // prepared before any modification
  for (std::size_t g = 0; g < loaded.size(); ++g) {
    ParamGroup& group = loaded[g];
    const Value& saved_group = saved.as_list()[g];
    const Values& ids = find_typed_entry(saved_group, "params", &Value::is_list, "list").as_list();
    if (ids.size() != group.params_.size())
      fail<ValueError>(
          "loaded state dict contains a parameter group that doesn't match the size of optimizer's "
          "group");
    group.options_ = Value::dict();
    for (const auto& [name, value] : saved_group.as_dict()) {
      if (name == Value("param_names")) {
        group.names_.clear();
        for (const Value& n : value.as_sequence()) group.names_.push_back(n.as_string());
      } else if (!(name == Value("params"))) {
        group.options_[name] = deep_copy(value);
      }
    }
    for (const auto& [name, value] : defaults_.as_dict())
      if (!group.options_.contains(name)) group.options_[name] = value;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Value* found = saved_state.find(ids[i]);
      group.states_[i] = found ? convert_state(*found, group.params_[i], {}) : Value();
      if (!group.states_[i].is_none()) check_state(group.params_[i], group.states_[i]);
    }
  }
  groups_ = std::move(loaded);
  // Steps create the states, so that a scheduler of a resumed run may be called first.
  step_called_ |= saved_state.size() > 0;
}

void Optimizer::check_state(const Tensor&, const Value& state) const {
  if (!state.is_dict())
    fail<ValueError>("load_state_dict: the state of a parameter must be a dict, got {}",
                     state.type_name());
}

}  // namespace taper::optim
