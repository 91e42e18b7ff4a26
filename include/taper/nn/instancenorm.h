// Instance normalization layers.
#pragma once
#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/detail/norm_base.h"
#include "taper/nn/lazy_module.h"

namespace TAPER_API taper {
namespace nn {

/// Options of the instance normalization layers.
struct InstanceNormOptions {
  FloatArg eps = 1e-5;                     ///< added to the variance
  std::optional<FloatArg> momentum = 0.1;  ///< weight of the new statistics in the running ones
  bool affine = false;                     ///< learns a weight and a bias per channel
  bool track_running_stats = false;        ///< maintains running statistics for evaluation
  bool bias = true;                        ///< if false, `affine` learns a weight only
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(eps, momentum, affine, track_running_stats, bias)
};
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;

/// Base of the instance normalization layers:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// with mean and biased variance per sample and channel over the spatial dimensions. In evaluation
/// mode, the running statistics are used if they are tracked.
class InstanceNormBase : public NormBase {
 public:
  void load_from_state_dict(LoadState& state) override;

 protected:
  /// Accepts samples with `rank` dimensions, including channels, with or without a batch dimension.
  InstanceNormBase(std::optional<std::int64_t> features, std::int64_t rank,
                   const BatchNormOptions& options)
      : NormBase(features, options), rank_(rank) {}
  /// Returns `options` as BatchNormOptions, whose defaults differ.
  static BatchNormOptions with_defaults(const InstanceNormOptions& options);
  explicit InstanceNormBase(InstanceNormBase&) = default;
  InstanceNormBase(InstanceNormBase&&) noexcept = default;
  InstanceNormBase& operator=(InstanceNormBase&&) = default;
  /// Returns the normalized input. Throws ValueError if the rank of the input is not supported, and
  /// if its number of channels is not num_features and `affine` is set. Without `affine`, a
  /// different number of channels causes a warning.
  Tensor normalize(const Tensor& input) const;
  void infer_features(const Tensor& input);

 private:
  void check_rank(const Tensor& input) const;
  std::int64_t rank_;
};

/// Instance normalization of inputs `(N, C, L)` or `(C, L)`. PyTorch: torch.nn.InstanceNorm1d.
class InstanceNorm1d : public Layer<InstanceNorm1d, InstanceNormBase> {
 public:
  explicit InstanceNorm1d(IntArg features, const InstanceNormOptions& options = {})
      : Layer(features, 2, with_defaults(options)) {}
  TAPER_LAYER(InstanceNorm1d)
  using InstanceNormBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  InstanceNorm1d(std::nullopt_t, const BatchNormOptions& options)
      : Layer(std::nullopt, 2, options) {}
};

/// Instance normalization of inputs `(N, C, H, W)` or `(C, H, W)`.
/// PyTorch: torch.nn.InstanceNorm2d.
class InstanceNorm2d : public Layer<InstanceNorm2d, InstanceNormBase> {
 public:
  explicit InstanceNorm2d(IntArg features, const InstanceNormOptions& options = {})
      : Layer(features, 3, with_defaults(options)) {}
  TAPER_LAYER(InstanceNorm2d)
  using InstanceNormBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  InstanceNorm2d(std::nullopt_t, const BatchNormOptions& options)
      : Layer(std::nullopt, 3, options) {}
};

/// Instance normalization of inputs `(N, C, D, H, W)` or `(C, D, H, W)`.
/// PyTorch: torch.nn.InstanceNorm3d.
class InstanceNorm3d : public Layer<InstanceNorm3d, InstanceNormBase> {
 public:
  explicit InstanceNorm3d(IntArg features, const InstanceNormOptions& options = {})
      : Layer(features, 4, with_defaults(options)) {}
  TAPER_LAYER(InstanceNorm3d)
  using InstanceNormBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  InstanceNorm3d(std::nullopt_t, const BatchNormOptions& options)
      : Layer(std::nullopt, 4, options) {}
};

/// InstanceNorm1d that infers num_features from its first input. Unlike InstanceNorm1d, it is
/// affine and tracks running statistics by default. PyTorch: torch.nn.LazyInstanceNorm1d.
class LazyInstanceNorm1d : public Layer<LazyInstanceNorm1d, InstanceNorm1d>,
                           public LazyModuleMixin<LazyInstanceNorm1d> {
 public:
  explicit LazyInstanceNorm1d(const BatchNormOptions& options = {});
  explicit LazyInstanceNorm1d(detail::NoOptions) : LazyInstanceNorm1d(BatchNormOptions{}) {}
  TAPER_LAYER(LazyInstanceNorm1d)
  void initialize_parameters(const Tensor& input);
};

/// InstanceNorm2d that infers num_features from its first input. Unlike InstanceNorm2d, it is
/// affine and tracks running statistics by default. PyTorch: torch.nn.LazyInstanceNorm2d.
class LazyInstanceNorm2d : public Layer<LazyInstanceNorm2d, InstanceNorm2d>,
                           public LazyModuleMixin<LazyInstanceNorm2d> {
 public:
  explicit LazyInstanceNorm2d(const BatchNormOptions& options = {});
  explicit LazyInstanceNorm2d(detail::NoOptions) : LazyInstanceNorm2d(BatchNormOptions{}) {}
  TAPER_LAYER(LazyInstanceNorm2d)
  void initialize_parameters(const Tensor& input);
};

/// InstanceNorm3d that infers num_features from its first input. Unlike InstanceNorm3d, it is
/// affine and tracks running statistics by default. PyTorch: torch.nn.LazyInstanceNorm3d.
class LazyInstanceNorm3d : public Layer<LazyInstanceNorm3d, InstanceNorm3d>,
                           public LazyModuleMixin<LazyInstanceNorm3d> {
 public:
  explicit LazyInstanceNorm3d(const BatchNormOptions& options = {});
  explicit LazyInstanceNorm3d(detail::NoOptions) : LazyInstanceNorm3d(BatchNormOptions{}) {}
  TAPER_LAYER(LazyInstanceNorm3d)
  void initialize_parameters(const Tensor& input);
};

}  // namespace nn
}  // namespace taper
