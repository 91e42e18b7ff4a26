// Pooling layers.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/nn/functional/pooling.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of MaxPool2d. Lists have one number per spatial dimension, or one number for both.
struct MaxPool2dOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape stride{};  ///< default: kernel_size
  Shape padding{0};        ///< implicit padding with negative infinity
  Shape dilation{1};
  bool return_indices = false;  ///< `call` also returns indices; see forward_with_indices
  bool ceil_mode = false;       ///< rounds the output size up instead of down
};

/// Computes the maximum of each window of an input `(N, C, H, W)` or `(C, H, W)`. The output is
/// `(N, C, H', W')` or `(C, H', W')`, with
///
///     H' = floor((H + 2 * padding - dilation * (k - 1) - 1) / stride) + 1
///
/// and W' accordingly. PyTorch: torch.nn.MaxPool2d.
class MaxPool2d : public Layer<MaxPool2d> {
 public:
  explicit MaxPool2d(const Shape& kernel, const MaxPool2dOptions& options = {});

  Shape kernel_size, stride, padding, dilation;
  bool return_indices, ceil_mode;
  TAPER_LAYER(MaxPool2d)

  /// Throws TypeError if return_indices is set; use forward_with_indices, or `call`, which returns
  /// a tuple.
  Tensor forward(const Tensor& input) const;
  /// Returns the maxima and their indices, h * W + w within each channel.
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
  std::string extra_repr() const override;
};

using AvgPool2dOptions = functional::AvgPool2dFuncOptions;

/// Computes the mean of each window of an input `(N, C, H, W)` or `(C, H, W)`. The output is
/// `(N, C, H', W')` or `(C, H', W')`, with
///
///     H' = floor((H + 2 * padding - k) / stride) + 1
///
/// and W' accordingly. PyTorch: torch.nn.AvgPool2d.
class AvgPool2d : public Layer<AvgPool2d> {
 public:
  explicit AvgPool2d(const Shape& kernel, const AvgPool2dOptions& options = {});

  Shape kernel_size, stride, padding;
  bool ceil_mode, count_include_pad;
  std::optional<std::int64_t> divisor_override;
  TAPER_LAYER(AvgPool2d)

  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Computes the means of H' x W' regions of an input `(N, C, H, W)` or `(C, H, W)`, where
/// output_size is (H', W') or one number for both, and std::nullopt (None in PyTorch) is the size
/// of the input. PyTorch: torch.nn.AdaptiveAvgPool2d.
class AdaptiveAvgPool2d : public Layer<AdaptiveAvgPool2d> {
 public:
  explicit AdaptiveAvgPool2d(const AdaptiveSize& sizes) : output_size(sizes) {}

  AdaptiveSize output_size;
  TAPER_LAYER(AdaptiveAvgPool2d)

  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
