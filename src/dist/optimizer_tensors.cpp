#include "dist/optimizer_tensors.h"

#include "dist/sharding.h"
#include "taper/core/dict.h"

namespace taper::distributed {
namespace {

/// Calls `f(name, tensor)` for each tensor of shape `divided` in the state of a parameter.
template <class F> void for_each_tensor(const Value& state, const Shape& divided, F&& f) {
  for (const auto& [name, value] : state.as_dict())
    if (value.is_tensor() && value.as_tensor().dim() > 0 && value.as_tensor().shape() == divided)
      f(name, value.as_tensor());
}

/// Returns a state dict with the states `state`.
Value with_state(const Value& state_dict, const Value& state) {
  Value converted = state_dict.as_dict().copy();
  converted["state"] = state;
  return converted;
}

}  // namespace

std::vector<Tensor> numbered_params(const optim::Optimizer& optimizer) {
  std::vector<Tensor> params;
  for (const optim::ParamGroup& group : optimizer.param_groups())
    params.insert(params.end(), group.params().begin(), group.params().end());
  return params;
}

Value gather_optimizer_tensors(const Value& state_dict, const std::vector<Tensor>& params,
                               bool keep) {
  const Value given = state_dict["state"];
  Value state = keep ? given.as_dict().copy() : Value::dict();
  for (std::size_t i = 0; i < params.size(); ++i) {
    const auto sharding = find_sharding(params[i]);
    const Value* const own = given.find(i);
    if (!sharding || !own) continue;
    const Value whole = own->as_dict().copy();
    for_each_tensor(*own, params[i].shape(), [&](const Value& name, const Tensor& t) {
      const Tensor gathered = sharding->gather(t);
      if (keep) whole.as_dict().set(name, gathered);
    });
    if (keep) state[i] = whole;
  }
  return with_state(state_dict, state);
}

Value divide_optimizer_tensors(const Value& state_dict, const std::vector<Tensor>& params) {
  const Value given = state_dict["state"];
  const Value state = given.as_dict().copy();
  for (std::size_t i = 0; i < params.size(); ++i) {
    const auto sharding = find_sharding(params[i]);
    const Value* const own = given.find(i);
    if (!sharding || !own) continue;
    const Value part = own->as_dict().copy();
    for_each_tensor(*own, sharding->shape(), [&](const Value& name, const Tensor& t) {
      part.as_dict().set(name, sharding->local(t).clone());
    });
    state[i] = part;
  }
  return with_state(state_dict, state);
}

void mark_optimizer_tensors(const Value& state_dict, const std::vector<Tensor>& params) {
  const Value state = state_dict["state"];
  for (std::size_t i = 0; i < params.size(); ++i)
    if (const auto sharding = find_sharding(params[i]))
      if (const Value* const own = state.find(i))
        for_each_tensor(*own, params[i].shape(),
                        [&](const Value&, const Tensor& t) { set_sharding(t, sharding); });
}

}  // namespace taper::distributed
