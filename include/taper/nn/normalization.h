// Layer, group, RMS and local response normalization layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/functional/normalization.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of LayerNorm.
struct LayerNormOptions {
  FloatArg eps = 1e-5;             ///< added to the variance
  bool elementwise_affine = true;  ///< learns a weight and a bias per element
  bool bias = true;                ///< if false, `elementwise_affine` learns a weight only
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(eps, elementwise_affine, bias)
};

/// Normalizes the last dimensions of an input `(*, normalized_shape)`:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// with mean and biased variance over these dimensions. PyTorch: torch.nn.LayerNorm.
///
/// weight and bias, of shape `normalized_shape`, are initialized to 1 and 0.
class LayerNorm : public Layer<LayerNorm> {
 public:
  explicit LayerNorm(const Shape& normalized_shape, const LayerNormOptions& options = {});

  Shape normalized_shape;
  double eps;
  bool elementwise_affine;
  std::optional<Parameter> weight, bias;
  TAPER_DETAIL_BRACED_SIZES(LayerNorm)
  TAPER_LAYER(LayerNorm)

  /// Resets weight to 1 and bias to 0.
  void reset_parameters();
  /// Throws ShapeError if the input does not end with normalized_shape.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Options of GroupNorm.
struct GroupNormOptions {
  FloatArg eps = 1e-5;  ///< added to the variance
  bool affine = true;   ///< learns a weight and a bias per channel
  bool bias = true;     ///< if false, `affine` learns a weight only
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(eps, affine, bias)
};

/// Normalizes groups of channels of each sample of an input `(N, C, ...)`:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// with mean and biased variance over the channels of the group and the spatial dimensions.
/// PyTorch: torch.nn.GroupNorm.
///
/// weight and bias `(C)` are initialized to 1 and 0.
class GroupNorm : public Layer<GroupNorm> {
 public:
  /// Throws ValueError unless `num_groups` divides `num_channels`.
  GroupNorm(IntArg num_groups, IntArg num_channels, const GroupNormOptions& options = {});

  std::int64_t num_groups, num_channels;
  double eps;
  bool affine;
  std::optional<Parameter> weight, bias;
  TAPER_LAYER(GroupNorm)

  /// Resets weight to 1 and bias to 0.
  void reset_parameters();
  /// Throws ShapeError if the input does not have num_channels channels.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Options of RMSNorm.
struct RMSNormOptions {
  /// Added to the mean square; default: the machine epsilon of the input's dtype.
  std::optional<FloatArg> eps{};
  bool elementwise_affine = true;  ///< learns a weight per element
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(eps, elementwise_affine)
};

/// Normalizes the last dimensions of an input `(*, normalized_shape)` by their root mean square:
///
///     y = x / sqrt(mean(x^2) + eps) * weight
///
/// PyTorch: torch.nn.RMSNorm.
///
/// weight, of shape `normalized_shape`, is initialized to 1.
class RMSNorm : public Layer<RMSNorm> {
 public:
  explicit RMSNorm(const Shape& normalized_shape, const RMSNormOptions& options = {});

  Shape normalized_shape;
  std::optional<double> eps;
  bool elementwise_affine;
  std::optional<Parameter> weight;
  TAPER_DETAIL_BRACED_SIZES(RMSNorm)
  TAPER_LAYER(RMSNorm)
  static constexpr const char* forward_signature = "x";

  /// Resets weight to 1.
  void reset_parameters();
  /// Throws ShapeError if the input does not end with normalized_shape.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using LocalResponseNormOptions = functional::LocalResponseNormFuncOptions;

/// Divides each element of an input `(N, C, ...)` by (k + alpha * m)^beta, where m is the mean of
/// the squares of the elements in a window of `size` neighboring channels.
/// PyTorch: torch.nn.LocalResponseNorm.
class LocalResponseNorm : public Layer<LocalResponseNorm> {
 public:
  explicit LocalResponseNorm(IntArg window, const LocalResponseNormOptions& options = {})
      : size(window), alpha(options.alpha), beta(options.beta), k(options.k) {}

  std::int64_t size;
  double alpha, beta, k;
  TAPER_LAYER(LocalResponseNorm)
  /// Throws ShapeError unless the input has at least 3 dimensions.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Options of CrossMapLRN2d.
struct CrossMapLRN2dOptions {
  FloatArg alpha = 1e-4;  ///< factor of the mean square
  FloatArg beta = 0.75;   ///< exponent of the divisor
  ScalarArg k = 1;        ///< added to the mean square
  TAPER_OPTIONS(alpha, beta, k)
};

/// Divides each element of an input `(N, C, H, W)` by (k + alpha / size * s)^beta, where s is the
/// sum of the squares of the elements in a window of neighboring channels. It differs from
/// LocalResponseNorm as it does in PyTorch: the window has 2 * ((size - 1) / 2) + 1 channels, the
/// first channel is not removed from the sums of later windows, and the gradient is not that of
/// these sums. Differentiable once. PyTorch: torch.nn.CrossMapLRN2d.
class CrossMapLRN2d : public Layer<CrossMapLRN2d> {
 public:
  explicit CrossMapLRN2d(IntArg window, const CrossMapLRN2dOptions& options = {})
      : size(window), alpha(options.alpha), beta(options.beta), k(options.k) {}

  std::int64_t size;
  double alpha, beta;
  Scalar k;
  TAPER_LAYER(CrossMapLRN2d)
  /// Throws ShapeError unless the input has 4 dimensions and channels, ValueError unless size > 0.
  /// For size 1, backward throws ValueError.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
