// Average pooling layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/nn/functional/pooling.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

using AvgPool1dOptions = functional::AvgPool1dFuncOptions;
using AvgPool2dOptions = functional::AvgPool2dFuncOptions;
using AvgPool3dOptions = functional::AvgPool3dFuncOptions;

/// Base of AvgPool1d, AvgPool2d and AvgPool3d. Lists have one number per spatial dimension, or one
/// number.
class AvgPoolBase : public Module {
 public:
  Shape kernel_size, stride, padding;
  bool ceil_mode, count_include_pad;
  std::string extra_repr() const override;

 protected:
  template <class Options> AvgPoolBase(const Shape& kernel, const Options& options)
      : kernel_size(kernel),
        stride(options.stride.value_or(kernel)),
        padding(options.padding),
        ceil_mode(options.ceil_mode),
        count_include_pad(options.count_include_pad) {}
  explicit AvgPoolBase(AvgPoolBase&) = default;
  AvgPoolBase(AvgPoolBase&&) noexcept = default;
  AvgPoolBase& operator=(AvgPoolBase&&) = default;
};

/// Computes the mean of each window of an input `(N, C, L)` or `(C, L)`. The output size is that of
/// AvgPool2d. PyTorch: torch.nn.AvgPool1d.
class AvgPool1d : public Layer<AvgPool1d, AvgPoolBase> {
 public:
  explicit AvgPool1d(const Shape& kernel, const AvgPool1dOptions& options = {})
      : Layer(kernel, options) {}
  template <detail::OptionByPosition O>
  AvgPool1d(const Shape&, const O&, ...) = delete;  // options are named: {.stride = 2}
  TAPER_LAYER(AvgPool1d)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Computes the mean of each window of an input `(N, C, H, W)` or `(C, H, W)`. The output is
/// `(N, C, H', W')` or `(C, H', W')`, with
///
///     H' = floor((H + 2 * padding - k) / stride) + 1
///
/// and W' accordingly. PyTorch: torch.nn.AvgPool2d.
class AvgPool2d : public Layer<AvgPool2d, AvgPoolBase> {
 public:
  explicit AvgPool2d(const Shape& kernel, const AvgPool2dOptions& options = {})
      : Layer(kernel, options), divisor_override(options.divisor_override) {}
  template <detail::OptionByPosition O>
  AvgPool2d(const Shape&, const O&, ...) = delete;  // options are named: {.stride = 2}
  std::optional<std::int64_t> divisor_override;
  TAPER_LAYER(AvgPool2d)
  Tensor forward(const Tensor& input) const;
};

/// Computes the mean of each window of an input `(N, C, D, H, W)` or `(C, D, H, W)`. The output
/// size of each dimension is that of AvgPool2d. PyTorch: torch.nn.AvgPool3d.
class AvgPool3d : public Layer<AvgPool3d, AvgPoolBase> {
 public:
  explicit AvgPool3d(const Shape& kernel, const AvgPool3dOptions& options = {})
      : Layer(kernel, options), divisor_override(options.divisor_override) {}
  template <detail::OptionByPosition O>
  AvgPool3d(const Shape&, const O&, ...) = delete;  // options are named: {.stride = 2}
  std::optional<std::int64_t> divisor_override;
  TAPER_LAYER(AvgPool3d)
  Tensor forward(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
