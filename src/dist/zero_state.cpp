// State dicts of ZeroRedundancyOptimizer.
#include "dist/zero_impl.h"
#include "taper/dist/objects.h"

namespace taper::distributed {

void ZeroRedundancyOptimizer::consolidate_state_dict(int to) {
  impl_->follow(param_groups());
  copy_options(param_groups(), impl_->local->param_groups());
  const Values states = gather_object(impl_->local->state_dict(), to, impl_->group);
  discard_collected_state();
  impl_->is_consolidated = !states.empty();
  for (std::size_t r = 0; r < states.size(); ++r) {
    const Value state = states[r]["state"];
    for_each_owned(impl_->partition, r, [&](std::size_t g, std::size_t i, std::int64_t id) {
      if (const Value* found = state.find(id)) groups()[g].state(i) = *found;
    });
  }
}

void ZeroRedundancyOptimizer::load_local_state() {
  impl_->follow(param_groups());
  copy_options(param_groups(), impl_->local->param_groups());
  Value state = Value::dict();
  for_each_owned(impl_->partition, impl_->rank(),
                 [&](std::size_t g, std::size_t i, std::int64_t id) {
                   if (!groups()[g].state(i).is_none()) state[id] = groups()[g].state(i);
                 });
  Value local = impl_->local->state_dict();
  local["state"] = state;
  impl_->local->load_state_dict(local);
  discard_collected_state();
}

void ZeroRedundancyOptimizer::discard_collected_state() {
  impl_->is_consolidated = false;
  for (optim::ParamGroup& group : groups())
    for (std::size_t i = 0; i < group.params().size(); ++i) group.state(i) = Value();
}

Value ZeroRedundancyOptimizer::gather_state_dict() {
  const bool was_consolidated = impl_->is_consolidated;
  consolidate_state_dict(impl_->group->ranks()[0]);
  if (!impl_->is_consolidated) return {};
  const Value state = state_dict();
  if (!was_consolidated) discard_collected_state();  // not to retain the state of all ranks
  return state;
}

Value ZeroRedundancyOptimizer::state_dict_of_rank() {
  impl_->follow(param_groups());
  const Value own = impl_->local->state_dict()["state"];
  for_each_owned(impl_->partition, impl_->rank(),
                 [&](std::size_t g, std::size_t i, std::int64_t id) {
                   if (const Value* found = own.find(id)) groups()[g].state(i) = *found;
                 });
  impl_->is_consolidated = true;
  const Value state = state_dict();
  discard_collected_state();
  return state;
}

}  // namespace taper::distributed
