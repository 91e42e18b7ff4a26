// Whole values and norms of parameters that are divided among ranks.
#include <algorithm>

#include "core/check.h"
#include "dist/norm_over_ranks.h"
#include "dist/sharding.h"
#include "taper/autograd/grad_mode.h"
#include "taper/dist/sharded_state.h"

namespace taper::distributed {

bool is_sharded(const Tensor& parameter) { return find_sharding(parameter) != nullptr; }

Placement placement_of(const Tensor& parameter) {
  const auto sharding = find_sharding(parameter);
  return sharding ? Placement(Shard(sharding->dim())) : Placement(Replicate());
}

Shape full_shape(const Tensor& parameter) {
  const auto sharding = find_sharding(parameter);
  return sharding ? sharding->shape() : parameter.shape();
}

Tensor full_tensor(const Tensor& parameter, const Tensor& local) {
  const auto sharding = find_sharding(parameter);
  return sharding ? sharding->gather(local) : local;
}
Tensor full_tensor(const Tensor& parameter) { return full_tensor(parameter, parameter); }

Tensor local_shard(const Tensor& parameter, const Tensor& full) {
  const auto sharding = find_sharding(parameter);
  if (!sharding) return full;
  if (full.shape() != sharding->shape())
    fail<ShapeError>("local_shard: expected the shape {} of the whole parameter '{}', got {}",
                     sharding->shape(), sharding->name(), full.shape());
  return sharding->local(full);
}

Ignorable<Tensor> clip_grad_norm_(const nn::Module& module, double max_norm,
                                  const nn::utils::ClipOptions& options) {
  const NoGrad no_grad;
  const std::vector<Tensor> params = module.parameters();
  std::vector<Tensor> plain;
  std::vector<std::pair<Group, std::vector<Tensor>>> sharded;  // gradients by group
  for (const Tensor& p : params) {
    if (!p.grad().defined()) continue;
    const auto sharding = find_sharding(p);
    if (!sharding) {
      plain.push_back(p.grad());
      continue;
    }
    const Group& group = sharding->group();
    auto found = std::find_if(sharded.begin(), sharded.end(),
                              [&](const auto& entry) { return entry.first == group; });
    if (found == sharded.end()) found = sharded.insert(found, {group, {}});
    found->second.push_back(p.grad());
  }
  const nn::utils::ClipOptions norm_only = {.norm_type = options.norm_type};
  std::vector<Tensor> norms;
  if (!plain.empty()) norms.push_back(nn::utils::get_total_norm(plain, norm_only));
  for (const auto& [group, grads] : sharded)
    norms.push_back(norm_of_parts(grads, options.norm_type, group));
  // Norms of order 0 are numbers of tensors.
  const Tensor total = options.norm_type == 0 && !norms.empty()
                           ? stack(norms).sum()
                           : nn::utils::get_total_norm(norms, options);
  nn::utils::clip_grads_with_norm_(params, max_norm, total);
  return total;
}

}  // namespace taper::distributed
