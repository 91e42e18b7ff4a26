// fully_shard: training with parameters, gradients and optimizer state sharded over ranks.
#pragma once
#include <optional>
#include <vector>

#include "taper/core/api.h"
#include "taper/dist/device_mesh.h"
#include "taper/dist/sharded_state.h"
#include "taper/nn/module_base.h"

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
/// differentiate its result, in the same order. The module must not be moved afterward. Its
/// clones have divided parameters, too, but cannot be called.
///
/// In backward, the parameters of the next module are gathered, and the gradients of the preceding
/// one are reduced, while one computes. In forward, `set_modules_to_forward_prefetch` does so.
///
/// Throws ValueError for parameters without dimensions, RuntimeError if the module is sharded
/// already. PyTorch: torch.distributed.fsdp.fully_shard.
void fully_shard(nn::Module& module, const FullyShardOptions& options = {});

/// Selects whether backward passes reduce the gradients of all sharded modules below `module`. If
/// not, unsharded gradients accumulate on each rank and `grad` remains undefined, until a pass
/// reduces them. PyTorch: torch.distributed.fsdp.FSDPModule.set_requires_gradient_sync.
void set_requires_gradient_sync(nn::Module& module, bool requires_gradient_sync);

/// Selects the modules whose parameters are gathered during the forward, or backward, pass of
/// `module`, which must be those that are executed next. An empty list restores the default: none
/// in forward, and in backward the module that completed forward before `module`. Parameters that
/// were gathered for a forward pass must not change before it. Throw ValueError if one of the
/// modules was not given to fully_shard. PyTorch:
/// torch.distributed.fsdp.FSDPModule.set_modules_to_forward_prefetch,
/// torch.distributed.fsdp.FSDPModule.set_modules_to_backward_prefetch.
void set_modules_to_forward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules);
void set_modules_to_backward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules);

}  // namespace distributed
}  // namespace taper
