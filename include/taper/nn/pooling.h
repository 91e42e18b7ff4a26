// Pooling over windows.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/nn/layer.h"
#include "taper/ops/pool.h"

namespace TAPER_API taper {
namespace nn {

/// Lists hold one number for both dimensions, or one for each.
struct MaxPool2dOptions {
  std::optional<Shape> stride{};  ///< default: the kernel's size
  Shape padding{0};               ///< counts as minus infinity
  Shape dilation{1};
  bool return_indices = false;  ///< also where: see forward_with_indices
  bool ceil_mode = false;       ///< rounds the output's size up
};

/// The largest element of each window: `(N, C, H, W)` to `(N, C, H', W')`.
/// PyTorch: torch.nn.MaxPool2d.
class MaxPool2d : public Module {
 public:
  explicit MaxPool2d(const Shape& kernel, const MaxPool2dOptions& options = {});

  Shape kernel_size, stride, padding, dilation;
  bool return_indices, ceil_mode;
  TAPER_LAYER(MaxPool2d)

  /// Throws TypeError if indices are wanted: those come from forward_with_indices, and from `call`
  /// as a tuple.
  Tensor forward(const Tensor& input) const;
  /// Also where each element was found, as h * W + w in its plane.
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
  std::string extra_repr() const override;
};

using taper::AvgPool2dOptions;

/// The mean of each window: `(N, C, H, W)` to `(N, C, H', W')`. PyTorch: torch.nn.AvgPool2d.
class AvgPool2d : public Module {
 public:
  explicit AvgPool2d(const Shape& kernel, const AvgPool2dOptions& options = {});

  Shape kernel_size, stride, padding;
  bool ceil_mode, count_include_pad;
  std::optional<std::int64_t> divisor_override;
  TAPER_LAYER(AvgPool2d)

  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// The means of output_size (H', W'), or one number for both, regions of `(N, C, H, W)`; a size of
/// -1 (None in PyTorch) keeps the input's. PyTorch: torch.nn.AdaptiveAvgPool2d.
class AdaptiveAvgPool2d : public Module {
 public:
  explicit AdaptiveAvgPool2d(const Shape& sizes) : output_size(sizes) {}

  Shape output_size;
  TAPER_LAYER(AdaptiveAvgPool2d)

  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
