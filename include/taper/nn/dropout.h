// Dropout: random zeros while training.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

struct DropoutOptions {
  bool inplace = false;
};

/// What all dropouts have: a probability and whether to overwrite the input.
class DropoutBase : public Module {
 public:
  /// Throws ValueError for a probability outside of [0, 1].
  explicit DropoutBase(const Scalar& probability = 0.5, const DropoutOptions& options = {});
  template <std::same_as<bool> B>
  explicit DropoutBase(B, const DropoutOptions& = {}) = delete;  // bool is not a probability
  explicit DropoutBase(DropoutBase&) = default;
  DropoutBase(DropoutBase&&) noexcept = default;
  DropoutBase& operator=(DropoutBase&&) noexcept = default;

  Scalar p;  ///< prints as it was given: 1 or 1.0
  bool inplace;
  std::string extra_repr() const override;
};

/// In training, zeroes each element with probability p and divides the others by 1 - p.
/// PyTorch: torch.nn.Dropout.
class Dropout : public DropoutBase {
 public:
  using DropoutBase::DropoutBase;
  TAPER_LAYER(Dropout)
  Tensor forward(const Tensor& input) const;
};

/// Zeroes whole channels of `(N, C, L)` or `(C, L)`. PyTorch: torch.nn.Dropout1d.
class Dropout1d : public DropoutBase {
 public:
  using DropoutBase::DropoutBase;
  TAPER_LAYER(Dropout1d)
  Tensor forward(const Tensor& input) const;
};

/// Zeroes whole channels of `(N, C, H, W)`. PyTorch: torch.nn.Dropout2d.
class Dropout2d : public DropoutBase {
 public:
  using DropoutBase::DropoutBase;
  TAPER_LAYER(Dropout2d)
  Tensor forward(const Tensor& input) const;
};

/// Zeroes whole channels of `(N, C, D, H, W)` or `(C, D, H, W)`. PyTorch: torch.nn.Dropout3d.
class Dropout3d : public DropoutBase {
 public:
  using DropoutBase::DropoutBase;
  TAPER_LAYER(Dropout3d)
  Tensor forward(const Tensor& input) const;
};

/// Sets elements to what SELU approaches for negative inputs, and keeps mean and variance.
/// PyTorch: torch.nn.AlphaDropout.
class AlphaDropout : public DropoutBase {
 public:
  using DropoutBase::DropoutBase;
  TAPER_LAYER(AlphaDropout)
  Tensor forward(const Tensor& input) const;
};

/// The same for whole channels of `(N, C, ...)`. PyTorch: torch.nn.FeatureAlphaDropout.
class FeatureAlphaDropout : public DropoutBase {
 public:
  using DropoutBase::DropoutBase;
  TAPER_LAYER(FeatureAlphaDropout)
  Tensor forward(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
