// State dicts of divided modules and their optimizers.
#include <map>

#include "core/check.h"
#include "dist/optimizer_tensors.h"
#include "dist/sharding.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/dist/init.h"
#include "taper/dist/sharded_state.h"

namespace taper::distributed {
namespace {

/// Names and parameters of a module.
class ParameterNames {
 public:
  explicit ParameterNames(const nn::Module& module) : params_(module.named_parameters()) {}

  const std::string& name_of(const Tensor& p) const {
    for (const nn::NamedTensor& entry : params_)
      if (entry.value.is_same(p)) return entry.name;
    fail<KeyError>("optimizer state dict: a parameter of the optimizer is not one of the module");
  }

 private:
  std::vector<nn::NamedTensor> params_;
};

/// Returns the state dict of an optimizer. If it has no state yet, returns the state after a step
/// with gradients of zero, and leaves the optimizer unchanged.
Value initialized_state(optim::Optimizer& optimizer) {
  const Value saved = optimizer.state_dict();
  const Value states = saved["state"];
  if (states.size() > 0) return saved;
  const std::vector<Tensor> params = numbered_params(optimizer);
  for (const Tensor& p : params)
    if (p.grad().defined()) return saved;
  std::vector<Value> rates;
  for (const optim::ParamGroup& group : optimizer.param_groups()) {
    const Value* const rate = group.options().find("lr");
    rates.push_back(rate ? *rate : Value());
    // Some optimizers decay parameters regardless of their gradients.
    if (rate) group["lr"] = rate->is_tensor() ? Value(zeros_like(rate->as_tensor())) : Value(0.0);
  }
  const auto restore = [&] {
    for (const Tensor& p : params) p.set_grad(Tensor());
    for (std::size_t i = 0; i < rates.size(); ++i)
      if (!rates[i].is_none()) optimizer.param_groups()[i]["lr"] = rates[i];
  };
  try {
    for (const Tensor& p : params)
      if (p.requires_grad()) p.set_grad(zeros_like(p));
    optimizer.step();
  } catch (const Error&) {  // the optimizer requires a closure
    restore();
    return saved;
  }
  restore();
  const Value initialized = optimizer.state_dict();
  optimizer.load_state_dict(saved);
  return initialized;
}

/// Returns true if whole tensors are requested on this rank.
bool keeps_whole_tensors(const ShardedStateOptions& options) {
  return options.full_state_dict && (!options.cpu_offload || !is_initialized() || get_rank() == 0);
}

}  // namespace

Value get_model_state_dict(const nn::Module& module, const ShardedStateOptions& options) {
  const NoGrad no_grad;
  const Value state = module.state_dict();
  const bool keeps_whole = keeps_whole_tensors(options);
  // State dicts contain detached tensors, so that parameters are found by their names.
  const Value kept = module.state_dict({.keep_vars = true});
  for (const auto& [key, value] : kept.as_dict()) {
    const auto sharding = value.is_tensor() ? find_sharding(value.as_tensor()) : nullptr;
    if (!sharding) continue;
    if (!options.full_state_dict) {
      set_sharding(state[key].as_tensor(), sharding);
    } else {
      const Tensor whole = sharding->gather(value.as_tensor());
      if (keeps_whole) state[key] = whole;
    }
  }
  return keeps_whole || !options.full_state_dict ? state : Value::dict();
}

nn::IncompatibleKeys set_model_state_dict(nn::Module& module, const Value& state_dict,
                                          const ShardedStateOptions& options) {
  if (!options.full_state_dict || !state_dict.is_dict()) return module.load_state_dict(state_dict);
  const Value kept = module.state_dict({.keep_vars = true});
  const Value local = state_dict.as_dict().copy();
  for (const auto& [key, value] : kept.as_dict()) {
    const Value* const given = local.find(key);
    if (given && given->is_tensor() && value.is_tensor())
      local[key] = local_shard(value.as_tensor(), given->as_tensor());
  }
  return module.load_state_dict(local);
}

Value get_optimizer_state_dict(const nn::Module& module, optim::Optimizer& optimizer,
                               const ShardedStateOptions& options) {
  const ParameterNames names(module);
  const std::vector<Tensor> params = numbered_params(optimizer);
  Value saved = initialized_state(optimizer);
  if (options.full_state_dict) {
    saved = gather_optimizer_tensors(saved, params, keeps_whole_tensors(options));
    if (!keeps_whole_tensors(options)) return Value::dict();
  } else {
    mark_optimizer_tensors(saved, params);
  }
  Value state = Value::dict(), groups = Value::list();
  const Value states = saved["state"], saved_groups = saved["param_groups"];
  for (std::size_t i = 0; i < params.size(); ++i)
    if (const Value* const own = states.find(i)) state[names.name_of(params[i])] = *own;
  for (const Value& group : saved_groups.as_list()) {
    const Value named = group.as_dict().copy();
    Value members = Value::list();
    const Value ids = group["params"];
    for (const Value& id : ids.as_list())
      members.append(names.name_of(params[static_cast<std::size_t>(id.as_int())]));
    named["params"] = members;
    groups.append(named);
  }
  return Value::dict({{"state", state}, {"param_groups", groups}});
}

void set_optimizer_state_dict(const nn::Module& module, optim::Optimizer& optimizer,
                              const Value& state_dict, const ShardedStateOptions& options) {
  const ParameterNames names(module);
  const std::vector<Tensor> params = numbered_params(optimizer);
  const Value given = state_dict["state"], given_groups = state_dict["param_groups"];
  std::map<std::string, std::int64_t> ids;
  for (std::size_t i = 0; i < params.size(); ++i)
    ids[names.name_of(params[i])] = static_cast<std::int64_t>(i);
  const auto id_of = [&](const std::string& name) {
    const auto found = ids.find(name);
    if (found == ids.end())
      fail<KeyError>("set_optimizer_state_dict: '{}' is not a parameter of the optimizer", name);
    return found->second;
  };
  Value state = Value::dict(), groups = Value::list();
  for (const auto& [name, own] : given.as_dict()) state[id_of(name.as_string())] = own;
  for (const Value& group : given_groups.as_list()) {
    const Value numbered = group.as_dict().copy();
    Value members = Value::list();
    const Value names_of_group = group["params"];
    for (const Value& name : names_of_group.as_list()) members.append(id_of(name.as_string()));
    numbered["params"] = members;
    groups.append(numbered);
  }
  const Value numbered = Value::dict({{"state", state}, {"param_groups", groups}});
  optimizer.load_state_dict(options.full_state_dict ? divide_optimizer_tensors(numbered, params)
                                                    : numbered);
}

}  // namespace taper::distributed
