// Adaptive pooling layers.
#pragma once
#include <string>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/functional/pooling.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Base of the adaptive pooling layers.
class AdaptivePoolBase : public Module {
 public:
  AdaptiveSize output_size;
  std::string extra_repr() const override;

 protected:
  explicit AdaptivePoolBase(const AdaptiveSize& sizes) : output_size(sizes) {}
  explicit AdaptivePoolBase(AdaptivePoolBase&) = default;
  AdaptivePoolBase(AdaptivePoolBase&&) noexcept = default;
  AdaptivePoolBase& operator=(AdaptivePoolBase&&) = default;
};

/// Computes the means of W' regions of an input `(N, C, W)` or `(C, W)`; see AdaptiveAvgPool2d.
/// PyTorch: torch.nn.AdaptiveAvgPool1d.
class AdaptiveAvgPool1d : public Layer<AdaptiveAvgPool1d, AdaptivePoolBase> {
 public:
  explicit AdaptiveAvgPool1d(const AdaptiveSize& sizes) : Layer(sizes) {}
  TAPER_DETAIL_BRACED_SIZES(AdaptiveAvgPool1d)
  TAPER_LAYER(AdaptiveAvgPool1d)
  Tensor forward(const Tensor& input) const;
};

/// Computes the means of H' x W' regions of an input `(N, C, H, W)` or `(C, H, W)`, where
/// output_size is (H', W') or one number for both, and std::nullopt (None in PyTorch) is the size
/// of the input. PyTorch: torch.nn.AdaptiveAvgPool2d.
class AdaptiveAvgPool2d : public Layer<AdaptiveAvgPool2d, AdaptivePoolBase> {
 public:
  explicit AdaptiveAvgPool2d(const AdaptiveSize& sizes) : Layer(sizes) {}
  TAPER_DETAIL_BRACED_SIZES(AdaptiveAvgPool2d)
  TAPER_LAYER(AdaptiveAvgPool2d)
  Tensor forward(const Tensor& input) const;
};

/// Computes the means of D' x H' x W' regions of an input `(N, C, D, H, W)` or `(C, D, H, W)`; see
/// AdaptiveAvgPool2d. PyTorch: torch.nn.AdaptiveAvgPool3d.
class AdaptiveAvgPool3d : public Layer<AdaptiveAvgPool3d, AdaptivePoolBase> {
 public:
  explicit AdaptiveAvgPool3d(const AdaptiveSize& sizes) : Layer(sizes) {}
  TAPER_DETAIL_BRACED_SIZES(AdaptiveAvgPool3d)
  TAPER_LAYER(AdaptiveAvgPool3d)
  Tensor forward(const Tensor& input) const;
};

/// Options of AdaptiveMaxPool1d, AdaptiveMaxPool2d and AdaptiveMaxPool3d.
struct AdaptiveMaxPoolOptions {
  bool return_indices = false;  ///< `call` also returns indices; see forward_with_indices
  TAPER_OPTIONS(return_indices)
};
using AdaptiveMaxPool1dOptions = AdaptiveMaxPoolOptions;
using AdaptiveMaxPool2dOptions = AdaptiveMaxPoolOptions;
using AdaptiveMaxPool3dOptions = AdaptiveMaxPoolOptions;

/// Base of AdaptiveMaxPool1d, AdaptiveMaxPool2d and AdaptiveMaxPool3d.
class AdaptiveMaxPoolBase : public AdaptivePoolBase {
 public:
  bool return_indices;

 protected:
  AdaptiveMaxPoolBase(const AdaptiveSize& sizes, const AdaptiveMaxPoolOptions& options)
      : AdaptivePoolBase(sizes), return_indices(options.return_indices) {}
  explicit AdaptiveMaxPoolBase(AdaptiveMaxPoolBase&) = default;
  AdaptiveMaxPoolBase(AdaptiveMaxPoolBase&&) noexcept = default;
  AdaptiveMaxPoolBase& operator=(AdaptiveMaxPoolBase&&) = default;
};

/// Computes the maxima of regions of the last dimension; see adaptive_max_pool1d.
/// PyTorch: torch.nn.AdaptiveMaxPool1d.
class AdaptiveMaxPool1d : public Layer<AdaptiveMaxPool1d, AdaptiveMaxPoolBase> {
 public:
  explicit AdaptiveMaxPool1d(const AdaptiveSize& sizes, const AdaptiveMaxPoolOptions& options = {})
      : Layer(sizes, options) {}
  TAPER_DETAIL_BRACED_SIZES(AdaptiveMaxPool1d)
  TAPER_LAYER(AdaptiveMaxPool1d)
  /// Throws TypeError if return_indices is set; use forward_with_indices or `call`.
  Tensor forward(const Tensor& input) const;
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

/// Computes the maxima of regions of the last two dimensions; see adaptive_max_pool2d.
/// PyTorch: torch.nn.AdaptiveMaxPool2d.
class AdaptiveMaxPool2d : public Layer<AdaptiveMaxPool2d, AdaptiveMaxPoolBase> {
 public:
  explicit AdaptiveMaxPool2d(const AdaptiveSize& sizes, const AdaptiveMaxPoolOptions& options = {})
      : Layer(sizes, options) {}
  TAPER_DETAIL_BRACED_SIZES(AdaptiveMaxPool2d)
  TAPER_LAYER(AdaptiveMaxPool2d)
  /// Throws TypeError if return_indices is set; use forward_with_indices or `call`.
  Tensor forward(const Tensor& input) const;
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

/// Computes the maxima of regions of the last three dimensions; see adaptive_max_pool3d.
/// PyTorch: torch.nn.AdaptiveMaxPool3d.
class AdaptiveMaxPool3d : public Layer<AdaptiveMaxPool3d, AdaptiveMaxPoolBase> {
 public:
  explicit AdaptiveMaxPool3d(const AdaptiveSize& sizes, const AdaptiveMaxPoolOptions& options = {})
      : Layer(sizes, options) {}
  TAPER_DETAIL_BRACED_SIZES(AdaptiveMaxPool3d)
  TAPER_LAYER(AdaptiveMaxPool3d)
  /// Throws TypeError if return_indices is set; use forward_with_indices or `call`.
  Tensor forward(const Tensor& input) const;
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
