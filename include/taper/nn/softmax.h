// Softmax layers.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of Softmax, LogSoftmax and Softmin.
struct SoftmaxOptions {
  std::optional<IntArg> dim{};  ///< dimension along which the results add up to 1
  TAPER_OPTIONS(dim)
};
using LogSoftmaxOptions = SoftmaxOptions;
using SoftminOptions = SoftmaxOptions;

/// Base of the softmax layers. Without `dim`, calls choose a dimension implicitly and emit
/// PyTorch's deprecation warning.
class SoftmaxBase : public Configured<SoftmaxOptions> {
 public:
  explicit SoftmaxBase(const SoftmaxOptions& options = {}) : Configured(options) {}
  template <std::convertible_to<IntArg> N> explicit SoftmaxBase(N along)
      : SoftmaxBase(SoftmaxOptions{along}) {}
  explicit SoftmaxBase(SoftmaxBase&) = default;
  SoftmaxBase(SoftmaxBase&&) noexcept = default;
  SoftmaxBase& operator=(SoftmaxBase&&) noexcept = default;

  std::string extra_repr() const override;
};

/// Computes exp(x_i) / sum_j exp(x_j) along `dim`. PyTorch: torch.nn.Softmax.
class Softmax : public Layer<Softmax, SoftmaxBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(Softmax)
  Tensor forward(const Tensor& input) const;
};

/// Computes log(softmax(x)) along `dim`. PyTorch: torch.nn.LogSoftmax.
class LogSoftmax : public Layer<LogSoftmax, SoftmaxBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(LogSoftmax)
  Tensor forward(const Tensor& input) const;
};

/// Computes softmax(-x) along `dim`. PyTorch: torch.nn.Softmin.
class Softmin : public Layer<Softmin, SoftmaxBase> {
 public:
  using Layer::Layer;
  TAPER_LAYER(Softmin)
  Tensor forward(const Tensor& input) const;
};

/// Computes softmax over the channels of an input `(N, C, H, W)` or `(C, H, W)`.
/// PyTorch: torch.nn.Softmax2d.
class Softmax2d : public Layer<Softmax2d> {
 public:
  TAPER_LAYER(Softmax2d)
  /// Throws ShapeError unless the input has 3 or 4 dimensions.
  Tensor forward(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
