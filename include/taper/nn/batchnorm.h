// Batch normalization layers.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/detail/norm_base.h"

namespace TAPER_API taper {
namespace nn {

/// Base of the batch normalization layers:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// with mean and biased variance per channel over the batch and spatial dimensions. In training
/// mode, the statistics are those of the batch, which update the running statistics with the
/// unbiased variance:
///
///     running = (1 - momentum) * running + momentum * batch
///
/// In evaluation mode, the running statistics are used; without `track_running_stats`, those of the
/// batch. Calls throw ValueError in training mode if there is only one value per channel.
class BatchNormBase : public NormBase {
 public:
  /// Throws ValueError if the class does not accept the rank of `input`.
  void check_rank(const Tensor& input) const;

 protected:
  /// Accepts inputs with `min` to `max` dimensions. The largest integer means no limit.
  BatchNormBase(std::optional<std::int64_t> features, std::int64_t min, std::int64_t max,
                const BatchNormOptions& options)
      : NormBase(features, options), min_(min), max_(max) {}
  explicit BatchNormBase(BatchNormBase&) = default;
  BatchNormBase(BatchNormBase&&) noexcept = default;
  BatchNormBase& operator=(BatchNormBase&&) = default;
  /// Returns the normalized input. Updates the running statistics in training mode.
  Tensor normalize(const Tensor& input) const;
  /// Initializes the parameters of a lazy layer from its first input.
  void infer_features(const Tensor& input);

 private:
  std::int64_t min_, max_;
};

/// Batch normalization of inputs `(N, C)` or `(N, C, L)`. PyTorch: torch.nn.BatchNorm1d.
class BatchNorm1d : public Layer<BatchNorm1d, BatchNormBase> {
 public:
  explicit BatchNorm1d(IntArg features, const BatchNormOptions& options = {})
      : Layer(features, 2, 3, options) {}
  TAPER_LAYER(BatchNorm1d)
  using BatchNormBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  BatchNorm1d(std::nullopt_t, const BatchNormOptions& options)
      : Layer(std::nullopt, 2, 3, options) {}
};

/// Batch normalization of inputs `(N, C, H, W)`. PyTorch: torch.nn.BatchNorm2d.
class BatchNorm2d : public Layer<BatchNorm2d, BatchNormBase> {
 public:
  explicit BatchNorm2d(IntArg features, const BatchNormOptions& options = {})
      : Layer(features, 4, 4, options) {}
  TAPER_LAYER(BatchNorm2d)
  using BatchNormBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  BatchNorm2d(std::nullopt_t, const BatchNormOptions& options)
      : Layer(std::nullopt, 4, 4, options) {}
};

/// Batch normalization of inputs `(N, C, D, H, W)`. PyTorch: torch.nn.BatchNorm3d.
class BatchNorm3d : public Layer<BatchNorm3d, BatchNormBase> {
 public:
  explicit BatchNorm3d(IntArg features, const BatchNormOptions& options = {})
      : Layer(features, 5, 5, options) {}
  TAPER_LAYER(BatchNorm3d)
  using BatchNormBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  BatchNorm3d(std::nullopt_t, const BatchNormOptions& options)
      : Layer(std::nullopt, 5, 5, options) {}
};

}  // namespace nn
}  // namespace taper
