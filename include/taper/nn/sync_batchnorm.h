// SyncBatchNorm: batch normalization across ranks.
#pragma once
#include <limits>
#include <memory>

#include "taper/core/api.h"
#include "taper/nn/batchnorm.h"

namespace TAPER_API taper {
namespace nn {

namespace detail {
class StatisticsExchange;
}

/// Batch normalization of inputs `(N, C, ...)` with statistics over the batches of all ranks:
///
///     mean = sum n_r mean_r / N,  var = sum n_r (var_r + (mean_r - mean)^2) / N,  N = sum n_r
///
/// for the n_r elements per channel of rank r, which may be 0. In training mode, if the default
/// process group has several ranks, each forward and backward pass is a collective of all of them.
/// Otherwise the layer is equivalent to batch normalization. The gradients of weight and bias are
/// those of the rank's own batch, which DistributedDataParallel averages. The backward pass of
/// several ranks is not differentiable. Calls throw ValueError for an input without channels.
/// PyTorch: torch.nn.SyncBatchNorm.
class SyncBatchNorm : public Layer<SyncBatchNorm, BatchNormBase> {
 public:
  explicit SyncBatchNorm(IntArg features, const BatchNormOptions& options = {})
      : Layer(features, 2, std::numeric_limits<std::int64_t>::max(), options) {}
  TAPER_LAYER(SyncBatchNorm)
  using BatchNormBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

  /// Replaces all batch normalization layers below `module` by SyncBatchNorm layers that share
  /// their parameters and buffers. Returns `module`, or its replacement if it is such a layer.
  /// Throws TypeError for a layer that is a member of another type, which cannot be replaced; the
  /// modules remain unchanged. PyTorch: torch.nn.SyncBatchNorm.convert_sync_batchnorm.
  static std::shared_ptr<Module> convert_sync_batchnorm(const std::shared_ptr<Module>& module);

 private:
  Tensor normalize_over_ranks(const Tensor& input,
                              const detail::StatisticsExchange& exchange) const;
};

}  // namespace nn
}  // namespace taper
