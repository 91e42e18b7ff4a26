// SyncBatchNorm: batch normalization across processes.
#pragma once
#include <limits>
#include <memory>

#include "taper/core/api.h"
#include "taper/nn/batchnorm.h"

namespace TAPER_API taper {
namespace nn {

/// Batch normalization of inputs `(N, C, ...)` with statistics over the batches of all processes.
/// The library trains in one process, where the layer is equivalent to batch normalization. It
/// exists for models and files that use the class. Calls throw ValueError for an input without
/// channels. PyTorch: torch.nn.SyncBatchNorm.
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
};

}  // namespace nn
}  // namespace taper
