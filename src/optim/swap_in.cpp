#include "taper/optim/swap_in.h"

#include <utility>

#include "core/check.h"
#include "optim/options.h"

namespace taper::optim {
namespace {

constexpr const char* kFunctionName = "swap_in_optimizer_params_and_state";

const Value& get_state_entry(const Value& dict, std::string_view name,
                             bool (Value::*has_kind)() const) {
  const Value* found = dict.is_dict() ? find_named(dict, name) : nullptr;
  if (!found || !(found->*has_kind)())
    fail<RuntimeError>("{}: the state must be a state dict: got {} as '{}'", kFunctionName,
                       found ? found->type_name() : "no entry", name);
  return *found;
}

void check_count(const char* what, std::size_t actual, std::size_t expected) {
  if (actual != expected)
    fail<RuntimeError>("{}: number of {}: got {}, expected {}", kFunctionName, what, actual,
                       expected);
}

}  // namespace

SwappedOptimizer::SwappedOptimizer(Optimizer& optimizer, std::vector<ParamGroup> groups)
    : optimizer_(optimizer),
      original_groups_(std::exchange(optimizer.groups_, std::move(groups))) {}

SwappedOptimizer::~SwappedOptimizer() { optimizer_.groups_ = std::move(original_groups_); }

SwappedOptimizer SwappedOptimizer::swap(Optimizer& optimizer, const Value& parameters,
                                        const Value& state) {
  if (!parameters.is_dict())
    fail<RuntimeError>("{}: the parameters must be a dict, got {}", kFunctionName,
                       parameters.type_name());
  const Values& saved = get_state_entry(state, "param_groups", &Value::is_list).as_list();
  const Value& states = get_state_entry(state, "state", &Value::is_dict);
  std::vector<ParamGroup> groups = optimizer.groups_;
  check_count("parameter groups", saved.size(), groups.size());
  std::size_t total = 0;
  for (const ParamGroup& group : groups) total += group.params_.size();
  check_count("parameters", parameters.size(), total);

  auto next = parameters.as_dict().begin();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    ParamGroup& group = groups[g];
    const Values& ids = get_state_entry(saved[g], "params", &Value::is_list).as_list();
    check_count("parameters of a group", ids.size(), group.params_.size());
    group.options_ = saved[g].as_dict().copy();
    group.options_.as_dict().erase("params");
    group.options_.as_dict().erase("param_names");
    for (std::size_t i = 0; i < ids.size(); ++i, ++next) {
      if (!next->second.is_tensor())
        fail<RuntimeError>("{}: parameter {} must be a tensor, got {}", kFunctionName,
                           next->first.repr(), next->second.type_name());
      const Value* found = states.find(ids[i]);
      if (found && !found->is_dict())
        fail<RuntimeError>("{}: the state of parameter {} must be a dict, got {}", kFunctionName,
                           next->first.repr(), found->type_name());
      group.params_[i] = next->second.as_tensor();
      group.states_[i] = found ? *found : Value();
    }
  }
  return {optimizer, std::move(groups)};
}

SwappedOptimizer swap_in_optimizer_params_and_state(Optimizer& optimizer,
                                                    const Value& swapin_parameters,
                                                    const Value& swapin_optim_state) {
  return SwappedOptimizer::swap(optimizer, swapin_parameters, swapin_optim_state);
}

}  // namespace taper::optim
