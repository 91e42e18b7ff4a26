// Max pooling layers.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "taper/core/api.h"
#include "taper/nn/functional/pooling.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of MaxPool1d, MaxPool2d and MaxPool3d. Lists have one number per spatial dimension, or
/// one number that applies to all.
struct MaxPoolOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape stride{};  ///< default: kernel_size
  Shape padding{0};        ///< implicit padding with negative infinity
  Shape dilation{1};
  bool return_indices = false;  ///< `call` also returns indices; see forward_with_indices
  bool ceil_mode = false;       ///< rounds the output size up instead of down
};
using MaxPool1dOptions = MaxPoolOptions;
using MaxPool2dOptions = MaxPoolOptions;
using MaxPool3dOptions = MaxPoolOptions;

/// Base of MaxPool1d, MaxPool2d and MaxPool3d. Lists have one number per spatial dimension, or one
/// number.
class MaxPoolBase : public Module {
 public:
  Shape kernel_size, stride, padding, dilation;
  bool return_indices, ceil_mode;
  /// Bit i is set if Python stores list i, in the order above, as a tuple of one number, which it
  /// prints differently from a number. MaxPool2d has none.
  std::uint8_t one_tuples = 0;
  std::string extra_repr() const override;

 protected:
  MaxPoolBase(const Shape& kernel, const MaxPoolOptions& options);
  explicit MaxPoolBase(MaxPoolBase&) = default;
  MaxPoolBase(MaxPoolBase&&) noexcept = default;
  MaxPoolBase& operator=(MaxPoolBase&&) = default;
  MaxPool2dFuncOptions function_options() const;
};

/// Computes the maximum of each window of an input `(N, C, L)` or `(C, L)`. The output size of
/// each dimension is that of MaxPool2d. PyTorch: torch.nn.MaxPool1d.
class MaxPool1d : public Layer<MaxPool1d, MaxPoolBase> {
 public:
  explicit MaxPool1d(const Shape& kernel, const MaxPool1dOptions& options = {})
      : Layer(kernel, options) {}
  template <detail::OptionByPosition O>
  MaxPool1d(const Shape&, const O&, ...) = delete;  // options are named: {.stride = 2}
  TAPER_LAYER(MaxPool1d)
  /// Throws TypeError if return_indices is set; use forward_with_indices, or `call`, which returns
  /// a tuple.
  Tensor forward(const Tensor& input) const;
  /// Returns the maxima and their positions within each channel.
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

/// Computes the maximum of each window of an input `(N, C, H, W)` or `(C, H, W)`. The output is
/// `(N, C, H', W')` or `(C, H', W')`, with
///
///     H' = floor((H + 2 * padding - dilation * (k - 1) - 1) / stride) + 1
///
/// and W' accordingly. PyTorch: torch.nn.MaxPool2d.
class MaxPool2d : public Layer<MaxPool2d, MaxPoolBase> {
 public:
  explicit MaxPool2d(const Shape& kernel, const MaxPool2dOptions& options = {})
      : Layer(kernel, options) {}
  template <detail::OptionByPosition O>
  MaxPool2d(const Shape&, const O&, ...) = delete;  // options are named: {.stride = 2}
  TAPER_LAYER(MaxPool2d)
  /// Throws TypeError if return_indices is set; use forward_with_indices, or `call`, which returns
  /// a tuple.
  Tensor forward(const Tensor& input) const;
  /// Returns the maxima and their indices, h * W + w within each channel.
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

/// Computes the maximum of each window of an input `(N, C, D, H, W)` or `(C, D, H, W)`. The output
/// size of each dimension is that of MaxPool2d. PyTorch: torch.nn.MaxPool3d.
class MaxPool3d : public Layer<MaxPool3d, MaxPoolBase> {
 public:
  explicit MaxPool3d(const Shape& kernel, const MaxPool3dOptions& options = {})
      : Layer(kernel, options) {}
  template <detail::OptionByPosition O>
  MaxPool3d(const Shape&, const O&, ...) = delete;  // options are named: {.stride = 2}
  TAPER_LAYER(MaxPool3d)
  /// Throws TypeError if return_indices is set; use forward_with_indices, or `call`, which returns
  /// a tuple.
  Tensor forward(const Tensor& input) const;
  /// Returns the maxima and their positions within each channel.
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
