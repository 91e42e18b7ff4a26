// Instance normalisation.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/lazy_module.h"
#include "taper/nn/norm_base.h"

namespace TAPER_API taper {
namespace nn {

struct InstanceNormOptions {
  double eps = 1e-5;                     ///< added to the variance
  std::optional<double> momentum = 0.1;  ///< weight of a batch in the running statistics
  bool affine = false;                   ///< learn a weight and a bias per channel
  bool track_running_stats = false;      ///< keep statistics for evaluation
  bool bias = true;                      ///< false with affine: a weight only
  TAPER_FACTORY_OPTIONS
};

/// What the three have. Each channel of each sample is brought to mean 0 and variance 1 by its own
/// statistics; in evaluation by the running ones, if they are tracked.
class InstanceNormBase : public NormBase {
 public:
  void load_from_state_dict(LoadState& state) override;

 protected:
  /// For samples of `rank` dimensions, channels included, alone or in batches.
  InstanceNormBase(std::optional<std::int64_t> features, std::int64_t rank,
                   const BatchNormOptions& options)
      : NormBase(features, options), rank_(rank) {}
  static BatchNormOptions with_defaults(const InstanceNormOptions& options);
  explicit InstanceNormBase(InstanceNormBase&) = default;
  InstanceNormBase(InstanceNormBase&&) noexcept = default;
  InstanceNormBase& operator=(InstanceNormBase&&) = default;
  /// Throws ValueError for an input of another rank, and for another number of channels where there
  /// are weights; a warning else.
  Tensor normalised(const Tensor& input) const;
  void infer_features(const Tensor& input);

 private:
  void check_rank(const Tensor& input) const;
  std::int64_t rank_;
};

/// Over `(N, C, L)` or `(C, L)`. PyTorch: torch.nn.InstanceNorm1d.
class InstanceNorm1d : public InstanceNormBase {
 public:
  explicit InstanceNorm1d(IntArg features, const InstanceNormOptions& options = {})
      : InstanceNormBase(features, 2, with_defaults(options)) {}
  TAPER_LAYER(InstanceNorm1d)
  Tensor forward(const Tensor& input) const;

 protected:
  InstanceNorm1d(std::nullopt_t, const BatchNormOptions& options)
      : InstanceNormBase(std::nullopt, 2, options) {}
};

/// Over `(N, C, H, W)` or `(C, H, W)`. PyTorch: torch.nn.InstanceNorm2d.
class InstanceNorm2d : public InstanceNormBase {
 public:
  explicit InstanceNorm2d(IntArg features, const InstanceNormOptions& options = {})
      : InstanceNormBase(features, 3, with_defaults(options)) {}
  TAPER_LAYER(InstanceNorm2d)
  Tensor forward(const Tensor& input) const;

 protected:
  InstanceNorm2d(std::nullopt_t, const BatchNormOptions& options)
      : InstanceNormBase(std::nullopt, 3, options) {}
};

/// Over `(N, C, D, H, W)` or `(C, D, H, W)`. PyTorch: torch.nn.InstanceNorm3d.
class InstanceNorm3d : public InstanceNormBase {
 public:
  explicit InstanceNorm3d(IntArg features, const InstanceNormOptions& options = {})
      : InstanceNormBase(features, 4, with_defaults(options)) {}
  TAPER_LAYER(InstanceNorm3d)
  Tensor forward(const Tensor& input) const;

 protected:
  InstanceNorm3d(std::nullopt_t, const BatchNormOptions& options)
      : InstanceNormBase(std::nullopt, 4, options) {}
};

/// InstanceNorm1d whose num_features is that of its first input; it learns weights and tracks
/// statistics unless told otherwise. PyTorch: torch.nn.LazyInstanceNorm1d.
class LazyInstanceNorm1d : public InstanceNorm1d, public LazyModuleMixin<LazyInstanceNorm1d> {
 public:
  explicit LazyInstanceNorm1d(const BatchNormOptions& options = {});
  TAPER_LAYER(LazyInstanceNorm1d)
  void initialize_parameters(const Tensor& input);
};

/// The same of InstanceNorm2d. PyTorch: torch.nn.LazyInstanceNorm2d.
class LazyInstanceNorm2d : public InstanceNorm2d, public LazyModuleMixin<LazyInstanceNorm2d> {
 public:
  explicit LazyInstanceNorm2d(const BatchNormOptions& options = {});
  TAPER_LAYER(LazyInstanceNorm2d)
  void initialize_parameters(const Tensor& input);
};

/// The same of InstanceNorm3d. PyTorch: torch.nn.LazyInstanceNorm3d.
class LazyInstanceNorm3d : public InstanceNorm3d, public LazyModuleMixin<LazyInstanceNorm3d> {
 public:
  explicit LazyInstanceNorm3d(const BatchNormOptions& options = {});
  TAPER_LAYER(LazyInstanceNorm3d)
  void initialize_parameters(const Tensor& input);
};

}  // namespace nn
}  // namespace taper
