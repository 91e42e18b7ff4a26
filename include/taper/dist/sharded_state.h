// Parameters that are divided among ranks: whole values, norms of gradients, state dicts.
#pragma once
#include "taper/core/api.h"
#include "taper/core/ignorable.h"
#include "taper/core/tensor.h"
#include "taper/dist/placement.h"
#include "taper/nn/module_base.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace distributed {

/// Returns true if the tensor is a parameter that fully_shard or parallelize_module has divided, or
/// the part of one in a state dict of this header.
bool is_sharded(const Tensor& parameter);
/// Returns Shard(dim) for such a tensor, Replicate() for others.
/// PyTorch: torch.distributed.tensor.DTensor.placements.
Placement placement_of(const Tensor& parameter);
/// Returns the shape of the unsharded parameter.
Shape full_shape(const Tensor& parameter);
/// Returns the unsharded values of a parameter; or of `local`, the part of a tensor that is divided
/// like the parameter, such as its gradient. Collective. A parameter that is not divided is
/// returned itself. PyTorch: torch.distributed.tensor.DTensor.full_tensor.
Tensor full_tensor(const Tensor& parameter);
Tensor full_tensor(const Tensor& parameter, const Tensor& local);
/// Returns the part of the caller of `full`, which has the shape of the whole parameter.
Tensor local_shard(const Tensor& parameter, const Tensor& full);

/// Scales the gradients of the parameters of a module, which may be sharded, so that their total
/// norm is at most `max_norm`. Returns the norm of the whole gradients. Collective.
/// PyTorch: torch.nn.utils.clip_grad_norm_.
Ignorable<Tensor> clip_grad_norm_(const nn::Module& module, double max_norm,
                                  const nn::utils::ClipOptions& options = {});

/// Options of state dicts of sharded modules.
/// PyTorch: torch.distributed.checkpoint.state_dict.StateDictOptions.
struct ShardedStateOptions {
  bool full_state_dict = false;  ///< whole tensors, in the form of one process, on every rank
  /// With `full_state_dict`: rank 0 receives the state dict, other ranks an empty one, so that they
  /// never have more than one whole tensor.
  bool cpu_offload = false;
};
/// Returns the state dict of a module, with the part of the rank or whole parameters. The parts are
/// marked as such for `checkpoint::save` and `checkpoint::load`. Collective.
/// PyTorch: torch.distributed.checkpoint.state_dict.get_model_state_dict.
Value get_model_state_dict(const nn::Module& module, const ShardedStateOptions& options = {});
/// Loads a state dict into a module. Throws the errors of Module::load_state_dict.
/// PyTorch: torch.distributed.checkpoint.state_dict.set_model_state_dict.
nn::IncompatibleKeys set_model_state_dict(nn::Module& module, const Value& state_dict,
                                          const ShardedStateOptions& options = {});
/// Returns the state dict of an optimizer of the parameters of a module, in which parameters are
/// identified by their names: {"state": {name: {...}}, "param_groups": [{"params": [name], ...}]}.
/// Before the first step, the state is that after a step with gradients of zero and a learning rate
/// of 0, so that a checkpoint can be loaded into it; the optimizer is unchanged. Collective.
/// PyTorch: torch.distributed.checkpoint.state_dict.get_optimizer_state_dict.
Value get_optimizer_state_dict(const nn::Module& module, optim::Optimizer& optimizer,
                               const ShardedStateOptions& options = {});
/// Loads such a state dict. Throws KeyError for a name that is not a parameter of the module, and
/// the errors of Optimizer::load_state_dict.
/// PyTorch: torch.distributed.checkpoint.state_dict.set_optimizer_state_dict.
void set_optimizer_state_dict(const nn::Module& module, optim::Optimizer& optimizer,
                              const Value& state_dict, const ShardedStateOptions& options = {});

}  // namespace distributed
}  // namespace taper
