// Batch normalisation.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/norm_base.h"

namespace TAPER_API taper {
namespace nn {

/// What the three have. In training each channel is brought to mean 0 and variance 1 by the
/// statistics of the batch, which move the running ones; in evaluation by the running ones, if they
/// are tracked.
class BatchNormBase : public NormBase {
 public:
  /// Throws ValueError for an input of a rank that the class does not take.
  void check_rank(const Tensor& input) const;

 protected:
  /// For inputs of `least` to `most` dimensions.
  BatchNormBase(std::optional<std::int64_t> features, std::int64_t least, std::int64_t most,
                const BatchNormOptions& options)
      : NormBase(features, options), least_(least), most_(most) {}
  explicit BatchNormBase(BatchNormBase&) = default;
  BatchNormBase(BatchNormBase&&) noexcept = default;
  BatchNormBase& operator=(BatchNormBase&&) = default;
  Tensor normalised(const Tensor& input) const;
  /// What the first call of a lazy one does.
  void infer_features(const Tensor& input);

 private:
  std::int64_t least_, most_;
};

/// Over `(N, C)` or `(N, C, L)`. PyTorch: torch.nn.BatchNorm1d.
class BatchNorm1d : public BatchNormBase {
 public:
  explicit BatchNorm1d(IntArg features, const BatchNormOptions& options = {})
      : BatchNormBase(features, 2, 3, options) {}
  TAPER_LAYER(BatchNorm1d)
  Tensor forward(const Tensor& input) const;

 protected:
  BatchNorm1d(std::nullopt_t, const BatchNormOptions& options)
      : BatchNormBase(std::nullopt, 2, 3, options) {}
};

/// Over `(N, C, H, W)`. PyTorch: torch.nn.BatchNorm2d.
class BatchNorm2d : public BatchNormBase {
 public:
  explicit BatchNorm2d(IntArg features, const BatchNormOptions& options = {})
      : BatchNormBase(features, 4, 4, options) {}
  TAPER_LAYER(BatchNorm2d)
  Tensor forward(const Tensor& input) const;

 protected:
  BatchNorm2d(std::nullopt_t, const BatchNormOptions& options)
      : BatchNormBase(std::nullopt, 4, 4, options) {}
};

/// Over `(N, C, D, H, W)`. PyTorch: torch.nn.BatchNorm3d.
class BatchNorm3d : public BatchNormBase {
 public:
  explicit BatchNorm3d(IntArg features, const BatchNormOptions& options = {})
      : BatchNormBase(features, 5, 5, options) {}
  TAPER_LAYER(BatchNorm3d)
  Tensor forward(const Tensor& input) const;

 protected:
  BatchNorm3d(std::nullopt_t, const BatchNormOptions& options)
      : BatchNormBase(std::nullopt, 5, 5, options) {}
};

}  // namespace nn
}  // namespace taper
