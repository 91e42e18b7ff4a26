// Whole values and norms of parameters that are divided among ranks.
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
  const Tensor total = total_norm(norms_of_gradients(params, options.norm_type), options);
  nn::utils::clip_grads_with_norm_(params, max_norm, total);
  return total;
}

}  // namespace taper::distributed
