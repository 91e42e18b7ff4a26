// Dropout layers. In evaluation mode, they return their input unchanged. The probability is also
// accepted by position: `nn::Dropout(0.1, {.inplace = true})`.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of the dropout layers.
struct DropoutOptions {
  ScalarArg p = 0.5;     ///< probability; prints as it was given: 1 or 1.0
  bool inplace = false;  ///< overwrites the input and returns it
  TAPER_OPTIONS(p, inplace)
};
using Dropout1dOptions = DropoutOptions;
using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;

/// Base of the dropout layers: probability and in-place flag.
class DropoutBase : public Configured<DropoutOptions> {
 public:
  /// Throws ValueError if the probability is not in [0, 1].
  explicit DropoutBase(const DropoutOptions& options = {});
  template <std::convertible_to<ScalarArg> N>
  explicit DropoutBase(N probability, const DropoutOptions& options = {})
      : DropoutBase(DropoutOptions{probability, options.inplace}) {}
  explicit DropoutBase(DropoutBase&) = default;
  DropoutBase(DropoutBase&&) noexcept = default;
  DropoutBase& operator=(DropoutBase&&) noexcept = default;

  std::string extra_repr() const override;
};

/// In training mode, sets each element to zero with probability p and scales the others by
/// 1 / (1 - p). PyTorch: torch.nn.Dropout.
class Dropout : public Layer<Dropout, DropoutBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(Dropout)
  Tensor forward(const Tensor& input) const;
};

/// In training mode, sets each channel of an input `(N, C, L)` or `(C, L)` to zero with probability
/// p and scales the others by 1 / (1 - p). PyTorch: torch.nn.Dropout1d.
class Dropout1d : public Layer<Dropout1d, DropoutBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(Dropout1d)
  Tensor forward(const Tensor& input) const;
};

/// In training mode, sets each channel of an input `(N, C, H, W)` or `(N, C, L)` to zero with
/// probability p and scales the others by 1 / (1 - p). PyTorch: torch.nn.Dropout2d.
class Dropout2d : public Layer<Dropout2d, DropoutBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(Dropout2d)
  Tensor forward(const Tensor& input) const;
};

/// In training mode, sets each channel of an input `(N, C, D, H, W)` or `(C, D, H, W)` to zero with
/// probability p and scales the others by 1 / (1 - p). PyTorch: torch.nn.Dropout3d.
class Dropout3d : public Layer<Dropout3d, DropoutBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(Dropout3d)
  Tensor forward(const Tensor& input) const;
};

/// In training mode, sets each element with probability p to the negative saturation value of SELU,
/// followed by an affine transformation that preserves mean and variance of the input.
/// PyTorch: torch.nn.AlphaDropout.
class AlphaDropout : public Layer<AlphaDropout, DropoutBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(AlphaDropout)
  Tensor forward(const Tensor& input) const;
};

/// In training mode, sets each channel of an input `(N, C, ...)` with probability p to the negative
/// saturation value of SELU, followed by an affine transformation that preserves mean and variance
/// of the input. PyTorch: torch.nn.FeatureAlphaDropout.
class FeatureAlphaDropout : public Layer<FeatureAlphaDropout, DropoutBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(FeatureAlphaDropout)
  Tensor forward(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
