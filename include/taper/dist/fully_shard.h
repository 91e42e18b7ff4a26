// fully_shard: training with parameters, gradients and optimizer state sharded over ranks.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/dist/device_mesh.h"
#include "taper/nn/module_base.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace distributed {

/// Element types of a unit. PyTorch: torch.distributed.fsdp.MixedPrecisionPolicy.
struct MixedPrecisionPolicy {
  std::optional<DType> param_dtype{};   ///< of gathered parameters; default: their own
  std::optional<DType> reduce_dtype{};  ///< of the reduction of gradients; default: the original
                                        ///< dtype of the parameter
  std::optional<DType> output_dtype{};  ///< of floating-point results; default: unchanged
  bool cast_forward_inputs = true;      ///< converts floating-point arguments to `param_dtype`
};

/// Options of fully_shard.
struct FullyShardOptions {
  /// One dimension: parameters are sharded over all its ranks. Two dimensions: sharded over the
  /// ranks of dimension 1, and replicated over dimension 0. Default: all ranks of the default
  /// group.
  DeviceMesh mesh{};
  /// Frees the gathered parameters after the forward pass and gathers them again in the backward
  /// pass. PyTorch's default for the outermost module is false.
  bool reshard_after_forward = true;
  MixedPrecisionPolicy mp_policy{};
};

/// Shards the parameters of a module over ranks: each rank stores rows
/// [rank * c, (rank + 1) * c) of dimension 0, c = ceil(n / ranks), of every parameter. Parameters
/// of submodules that are sharded already are not included, so that submodules are sharded before
/// their parents. The parameters remain the same objects, whose `data` becomes the rows of the
/// rank; optimizers constructed afterward update these rows only. Ranks are not made equal.
///
/// Each call of the module gathers the parameters, which are freed after forward, gathered again
/// for the backward pass and freed when their gradients are complete. Gradients are averaged over
/// ranks and each rank receives those of its rows. All ranks must call the module, and
/// differentiate its result, in the same order. The module must not be moved afterward.
///
/// Throws ValueError for parameters without dimensions, RuntimeError if the module is sharded
/// already. PyTorch: torch.distributed.fsdp.fully_shard.
void fully_shard(nn::Module& module, const FullyShardOptions& options = {});

/// Selects whether backward passes reduce the gradients of all sharded modules below `module`. If
/// not, unsharded gradients accumulate on each rank and `grad` remains undefined, until a pass
/// reduces them. PyTorch: torch.distributed.fsdp.FSDPModule.set_requires_gradient_sync.
void set_requires_gradient_sync(nn::Module& module, bool requires_gradient_sync);

/// Returns true if the tensor is a parameter that fully_shard has sharded.
bool is_sharded(const Tensor& parameter);
/// Returns the shape of the unsharded parameter.
Shape full_shape(const Tensor& parameter);
/// Returns the unsharded values of a parameter; or of `local`, rows of a tensor that is sharded
/// like the parameter, such as its gradient. Collective. A parameter that is not sharded is
/// returned itself. PyTorch: torch.distributed.tensor.DTensor.full_tensor.
Tensor full_tensor(const Tensor& parameter);
Tensor full_tensor(const Tensor& parameter, const Tensor& local);
/// Returns the rows of the caller of `full`, which has the shape of the whole parameter.
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
};
/// Returns the state dict of a module, with the rows of the rank or whole parameters. Collective.
/// PyTorch: torch.distributed.checkpoint.state_dict.get_model_state_dict.
Value get_model_state_dict(const nn::Module& module, const ShardedStateOptions& options = {});
/// Loads a state dict into a module. Throws the errors of Module::load_state_dict.
/// PyTorch: torch.distributed.checkpoint.state_dict.set_model_state_dict.
nn::IncompatibleKeys set_model_state_dict(nn::Module& module, const Value& state_dict,
                                          const ShardedStateOptions& options = {});
/// Returns the state dict of an optimizer of the parameters of a module, in which parameters are
/// identified by their names: {"state": {name: {...}}, "param_groups": [{"params": [name], ...}]}.
/// Collective. PyTorch: torch.distributed.checkpoint.state_dict.get_optimizer_state_dict.
Value get_optimizer_state_dict(const nn::Module& module, optim::Optimizer& optimizer,
                               const ShardedStateOptions& options = {});
/// Loads such a state dict. Throws KeyError for a name that is not a parameter of the module, and
/// the errors of Optimizer::load_state_dict.
/// PyTorch: torch.distributed.checkpoint.state_dict.set_optimizer_state_dict.
void set_optimizer_state_dict(const nn::Module& module, optim::Optimizer& optimizer,
                              const Value& state_dict, const ShardedStateOptions& options = {});

}  // namespace distributed
}  // namespace taper
