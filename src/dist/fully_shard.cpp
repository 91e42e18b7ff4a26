#include "taper/dist/fully_shard.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "core/check.h"
#include "dist/rank_context.h"
#include "dist/shard_unit.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"

namespace taper::distributed {
namespace {

/// Units by module, of all ranks of the process.
struct UnitRegistry {
  std::mutex mutex;
  std::unordered_map<const nn::Module*, std::weak_ptr<ShardUnit>> units;
};
UnitRegistry& unit_registry() {
  static UnitRegistry registry;
  return registry;
}

std::shared_ptr<ShardUnit> find_unit(const nn::Module& module) {
  UnitRegistry& registry = unit_registry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.units.find(&module);
  return found == registry.units.end() ? nullptr : found->second.lock();
}

}  // namespace

void fully_shard(nn::Module& module, const FullyShardOptions& options) {
  if (find_unit(module))
    fail<RuntimeError>("fully_shard: the module {} is sharded already", module.type_name());
  const auto unit = std::make_shared<ShardUnit>(module, options);
  unit->attach();
  {
    UnitRegistry& registry = unit_registry();
    const std::lock_guard lock(registry.mutex);
    std::erase_if(registry.units, [](const auto& entry) { return entry.second.expired(); });
    registry.units[&module] = unit;
  }
  // The hooks own the unit, which therefore exists as long as the module.
  module.register_forward_pre_hook(
      [unit](nn::Module&, Values& args) { unit->before_forward(args); });
  module.register_forward_hook(
      [unit](nn::Module&, const Values&, Value& result) { unit->after_forward(result); },
      {.always_call = true});
}

void set_requires_gradient_sync(nn::Module& module, bool requires_gradient_sync) {
  for (const nn::Module* m : module.modules())
    if (const auto unit = find_unit(*m)) unit->set_sync(requires_gradient_sync);
}

bool is_sharded(const Tensor& parameter) { return static_cast<bool>(find_shard(parameter)); }

Shape full_shape(const Tensor& parameter) {
  const ShardReference shard = find_shard(parameter);
  return shard ? shard.parameter().shape : parameter.shape();
}

Tensor full_tensor(const Tensor& parameter, const Tensor& local) {
  const ShardReference shard = find_shard(parameter);
  return shard ? shard.unit->gather(shard.index, local) : local;
}
Tensor full_tensor(const Tensor& parameter) { return full_tensor(parameter, parameter); }

Tensor local_shard(const Tensor& parameter, const Tensor& full) {
  const ShardReference shard = find_shard(parameter);
  if (!shard) return full;
  const ShardedParameter& p = shard.parameter();
  if (full.shape() != p.shape)
    fail<ShapeError>("local_shard: expected the shape {} of the whole parameter '{}', got {}",
                     p.shape, p.name, full.shape());
  const int rank = shard.unit->shard_group()->rank();
  const std::int64_t begin = std::min(rank * p.chunk, p.shape[0]);
  return full.narrow(0, begin, p.local_shape(rank)[0]);
}

namespace {

/// Combines norms of parts over the ranks of a group.
Tensor combine_norms(const Tensor& norm, double p, const Group& group) {
  const Tensor total = norm.clone();
  if (std::isinf(p)) {
    all_reduce(total, {.op = p > 0 ? ReduceOp::max : ReduceOp::min, .group = group});
    return total;
  }
  if (p == 0) {
    all_reduce(total, {.group = group});
    return total;
  }
  total.pow_(p);
  all_reduce(total, {.group = group});
  return total.pow(1 / p);
}

}  // namespace

Ignorable<Tensor> clip_grad_norm_(const nn::Module& module, double max_norm,
                                  const nn::utils::ClipOptions& options) {
  const NoGrad no_grad;
  const std::vector<Tensor> params = module.parameters();
  std::vector<Tensor> plain;
  std::vector<std::pair<Group, std::vector<Tensor>>> sharded;  // gradients by group
  for (const Tensor& p : params) {
    if (!p.grad().defined()) continue;
    const ShardReference shard = find_shard(p);
    if (!shard) {
      plain.push_back(p.grad());
      continue;
    }
    const Group& group = shard.unit->shard_group();
    auto found = std::find_if(sharded.begin(), sharded.end(),
                              [&](const auto& entry) { return entry.first == group; });
    if (found == sharded.end()) found = sharded.insert(found, {group, {}});
    found->second.push_back(p.grad());
  }
  const nn::utils::ClipOptions norm_only = {.norm_type = options.norm_type};
  std::vector<Tensor> norms;
  if (!plain.empty()) norms.push_back(nn::utils::get_total_norm(plain, norm_only));
  for (const auto& [group, grads] : sharded)
    norms.push_back(
        combine_norms(nn::utils::get_total_norm(grads, norm_only), options.norm_type, group));
  const Tensor total = nn::utils::get_total_norm(norms, options);
  nn::utils::clip_grads_with_norm_(params, max_norm, total);
  return total;
}

}  // namespace taper::distributed
