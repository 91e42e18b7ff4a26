// Pooling layers over one and three dimensions, adaptive maxima, and other kinds of pooling.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/detail/output_size.h"
#include "taper/nn/pooling.h"

namespace TAPER_API taper {
namespace nn {

using MaxPool1dOptions = MaxPool2dOptions;
using MaxPool3dOptions = MaxPool2dOptions;
using AvgPool1dOptions = AvgPool1dFuncOptions;
using AvgPool3dOptions = functional::AvgPool3dFuncOptions;

/// Base of MaxPool1d and MaxPool3d. Lists have one number per spatial dimension, or one number.
class MaxPoolBase : public Module {
 public:
  Shape kernel_size, stride, padding, dilation;
  bool return_indices, ceil_mode;
  /// Bit i is set if Python stores list i, in the order above, as a tuple of one number, which it
  /// prints differently from a number.
  std::uint8_t one_tuples = 0;
  std::string extra_repr() const override;

 protected:
  MaxPoolBase(const Shape& kernel, const MaxPool2dOptions& options);
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
  TAPER_LAYER(MaxPool1d)
  /// Throws TypeError if return_indices is set; use forward_with_indices, or `call`, which returns
  /// a tuple.
  Tensor forward(const Tensor& input) const;
  /// Returns the maxima and their positions within each channel.
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

/// Computes the maximum of each window of an input `(N, C, D, H, W)` or `(C, D, H, W)`. The output
/// size of each dimension is that of MaxPool2d. PyTorch: torch.nn.MaxPool3d.
class MaxPool3d : public Layer<MaxPool3d, MaxPoolBase> {
 public:
  explicit MaxPool3d(const Shape& kernel, const MaxPool3dOptions& options = {})
      : Layer(kernel, options) {}
  TAPER_LAYER(MaxPool3d)
  /// Throws TypeError if return_indices is set; use forward_with_indices, or `call`, which returns
  /// a tuple.
  Tensor forward(const Tensor& input) const;
  /// Returns the maxima and their positions within each channel.
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

/// Computes the mean of each window of an input `(N, C, L)` or `(C, L)`. The output size is that of
/// AvgPool2d. PyTorch: torch.nn.AvgPool1d.
class AvgPool1d : public Layer<AvgPool1d> {
 public:
  explicit AvgPool1d(const Shape& kernel, const AvgPool1dOptions& options = {});
  Shape kernel_size, stride, padding;
  bool ceil_mode, count_include_pad;
  TAPER_LAYER(AvgPool1d)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Computes the mean of each window of an input `(N, C, D, H, W)` or `(C, D, H, W)`. The output
/// size of each dimension is that of AvgPool2d. PyTorch: torch.nn.AvgPool3d.
class AvgPool3d : public Layer<AvgPool3d> {
 public:
  explicit AvgPool3d(const Shape& kernel, const AvgPool3dOptions& options = {});
  Shape kernel_size, stride, padding;
  bool ceil_mode, count_include_pad;
  std::optional<std::int64_t> divisor_override;
  TAPER_LAYER(AvgPool3d)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Options of AdaptiveMaxPool1d, AdaptiveMaxPool2d and AdaptiveMaxPool3d.
struct AdaptiveMaxPoolOptions {
  bool return_indices = false;  ///< `call` also returns indices; see forward_with_indices
};
using AdaptiveMaxPool1dOptions = AdaptiveMaxPoolOptions;
using AdaptiveMaxPool2dOptions = AdaptiveMaxPoolOptions;
using AdaptiveMaxPool3dOptions = AdaptiveMaxPoolOptions;

/// Computes the maxima of regions of the last dimension; see adaptive_max_pool1d.
/// PyTorch: torch.nn.AdaptiveMaxPool1d.
class AdaptiveMaxPool1d : public Layer<AdaptiveMaxPool1d> {
 public:
  explicit AdaptiveMaxPool1d(const AdaptiveSize& sizes, const AdaptiveMaxPoolOptions& options = {})
      : output_size(sizes), return_indices(options.return_indices) {}
  AdaptiveSize output_size;
  bool return_indices;
  TAPER_LAYER(AdaptiveMaxPool1d)
  /// Throws TypeError if return_indices is set; use forward_with_indices or `call`.
  Tensor forward(const Tensor& input) const;
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Computes the maxima of regions of the last two dimensions; see adaptive_max_pool2d.
/// PyTorch: torch.nn.AdaptiveMaxPool2d.
class AdaptiveMaxPool2d : public Layer<AdaptiveMaxPool2d> {
 public:
  explicit AdaptiveMaxPool2d(const AdaptiveSize& sizes, const AdaptiveMaxPoolOptions& options = {})
      : output_size(sizes), return_indices(options.return_indices) {}
  AdaptiveSize output_size;
  bool return_indices;
  TAPER_LAYER(AdaptiveMaxPool2d)
  /// Throws TypeError if return_indices is set; use forward_with_indices or `call`.
  Tensor forward(const Tensor& input) const;
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Computes the maxima of regions of the last three dimensions; see adaptive_max_pool3d.
/// PyTorch: torch.nn.AdaptiveMaxPool3d.
class AdaptiveMaxPool3d : public Layer<AdaptiveMaxPool3d> {
 public:
  explicit AdaptiveMaxPool3d(const AdaptiveSize& sizes, const AdaptiveMaxPoolOptions& options = {})
      : output_size(sizes), return_indices(options.return_indices) {}
  AdaptiveSize output_size;
  bool return_indices;
  TAPER_LAYER(AdaptiveMaxPool3d)
  /// Throws TypeError if return_indices is set; use forward_with_indices or `call`.
  Tensor forward(const Tensor& input) const;
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Options of LPPool1d, LPPool2d and LPPool3d.
struct LPPoolOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape stride{};  ///< default: kernel_size
  bool ceil_mode = false;  ///< rounds the output size up instead of down
};
using LPPool1dOptions = LPPoolOptions;
using LPPool2dOptions = LPPoolOptions;
using LPPool3dOptions = LPPoolOptions;

/// Base of the power-average pooling layers.
class LPPoolBase : public Module {
 public:
  Scalar norm_type;
  Shape kernel_size;
  std::optional<Shape> stride;
  bool ceil_mode;
  std::string extra_repr() const override;

 protected:
  LPPoolBase(const Scalar& norm, const Shape& kernel, const LPPoolOptions& options);
  explicit LPPoolBase(LPPoolBase&) = default;
  LPPoolBase(LPPoolBase&&) noexcept = default;
  LPPoolBase& operator=(LPPoolBase&&) = default;
};

/// Computes (sum of x^p)^(1/p) over windows, p being norm_type; see lp_pool1d.
/// PyTorch: torch.nn.LPPool1d.
class LPPool1d : public Layer<LPPool1d, LPPoolBase> {
 public:
  LPPool1d(const Scalar& norm, const Shape& kernel, const LPPoolOptions& options = {})
      : Layer(norm, kernel, options) {}
  TAPER_LAYER(LPPool1d)
  Tensor forward(const Tensor& input) const;
};

/// Computes (sum of x^p)^(1/p) over windows, p being norm_type; see lp_pool2d.
/// PyTorch: torch.nn.LPPool2d.
class LPPool2d : public Layer<LPPool2d, LPPoolBase> {
 public:
  LPPool2d(const Scalar& norm, const Shape& kernel, const LPPoolOptions& options = {})
      : Layer(norm, kernel, options) {}
  TAPER_LAYER(LPPool2d)
  Tensor forward(const Tensor& input) const;
};

/// Computes (sum of x^p)^(1/p) over windows, p being norm_type; see lp_pool3d.
/// PyTorch: torch.nn.LPPool3d.
class LPPool3d : public Layer<LPPool3d, LPPoolBase> {
 public:
  LPPool3d(const Scalar& norm, const Shape& kernel, const LPPoolOptions& options = {})
      : Layer(norm, kernel, options) {}
  TAPER_LAYER(LPPool3d)
  Tensor forward(const Tensor& input) const;
};

/// Options of MaxUnpool1d, MaxUnpool2d and MaxUnpool3d.
struct MaxUnpoolOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape stride{};  ///< default: kernel_size
  Shape padding{0};
};
using MaxUnpool1dOptions = MaxUnpoolOptions;
using MaxUnpool2dOptions = MaxUnpoolOptions;
using MaxUnpool3dOptions = MaxUnpoolOptions;

/// Base of the layers that invert max pooling. Lists have one number per spatial dimension. The
/// optional argument of `forward` is the size of the output: `(y, indices, {.output_size = {9,
/// 9}})`, or `(y, indices, {9, 9})`.
class MaxUnpoolBase : public Module {
 public:
  Shape kernel_size, stride, padding;
  static constexpr const char* forward_signature = "input, indices, output_size=None";
  std::string extra_repr() const override;

 protected:
  MaxUnpoolBase(std::size_t dims, const Shape& kernel, const MaxUnpoolOptions& options);
  explicit MaxUnpoolBase(MaxUnpoolBase&) = default;
  MaxUnpoolBase(MaxUnpoolBase&&) noexcept = default;
  MaxUnpoolBase& operator=(MaxUnpoolBase&&) = default;
};

/// Writes the elements of an input to the positions `indices` of a tensor of zeros; see
/// max_unpool1d. PyTorch: torch.nn.MaxUnpool1d.
class MaxUnpool1d : public Layer<MaxUnpool1d, MaxUnpoolBase> {
 public:
  explicit MaxUnpool1d(const Shape& kernel, const MaxUnpoolOptions& options = {})
      : Layer(1, kernel, options) {}
  TAPER_LAYER(MaxUnpool1d)
  TAPER_DETAIL_MAX_UNPOOL_CALLS(MaxUnpool1d)
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const OutputSizeOptions& options = {}) const;
};

/// Writes the elements of an input to the positions `indices` of a tensor of zeros; see
/// max_unpool2d. PyTorch: torch.nn.MaxUnpool2d.
class MaxUnpool2d : public Layer<MaxUnpool2d, MaxUnpoolBase> {
 public:
  explicit MaxUnpool2d(const Shape& kernel, const MaxUnpoolOptions& options = {})
      : Layer(2, kernel, options) {}
  TAPER_LAYER(MaxUnpool2d)
  TAPER_DETAIL_MAX_UNPOOL_CALLS(MaxUnpool2d)
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const OutputSizeOptions& options = {}) const;
};

/// Writes the elements of an input to the positions `indices` of a tensor of zeros; see
/// max_unpool3d. PyTorch: torch.nn.MaxUnpool3d.
class MaxUnpool3d : public Layer<MaxUnpool3d, MaxUnpoolBase> {
 public:
  explicit MaxUnpool3d(const Shape& kernel, const MaxUnpoolOptions& options = {})
      : Layer(3, kernel, options) {}
  TAPER_LAYER(MaxUnpool3d)
  TAPER_DETAIL_MAX_UNPOOL_CALLS(MaxUnpool3d)
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const OutputSizeOptions& options = {}) const;
};

/// Options of FractionalMaxPool2d and FractionalMaxPool3d: one of output_size and output_ratio.
struct FractionalMaxPoolOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape output_size{};
  OptionalNumbers output_ratio{};    ///< output over input size, between 0 and 1
  bool return_indices = false;       ///< `call` also returns indices; see forward_with_indices
  OptionalTensor _random_samples{};  ///< default: drawn in each call
};
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions;

/// Base of the fractional max pooling layers. Lists have one number per spatial dimension.
class FractionalMaxPoolBase : public Module {
 public:
  Shape kernel_size;
  bool return_indices;
  std::optional<Buffer> _random_samples;
  std::optional<Shape> output_size;
  std::optional<std::vector<double>> output_ratio;

 protected:
  /// Throws ValueError unless exactly one of output_size and output_ratio is given, and the ratio
  /// is between 0 and 1.
  FractionalMaxPoolBase(std::string_view name, std::size_t dims, const Shape& kernel,
                        const FractionalMaxPoolOptions& options);
  explicit FractionalMaxPoolBase(FractionalMaxPoolBase&) = default;
  FractionalMaxPoolBase(FractionalMaxPoolBase&&) noexcept = default;
  FractionalMaxPoolBase& operator=(FractionalMaxPoolBase&&) = default;
  functional::FractionalMaxPool2dFuncOptions function_options() const;
};

/// Computes the maxima of windows at pseudo-random positions; see fractional_max_pool2d.
/// PyTorch: torch.nn.FractionalMaxPool2d.
class FractionalMaxPool2d : public Layer<FractionalMaxPool2d, FractionalMaxPoolBase> {
 public:
  explicit FractionalMaxPool2d(const Shape& kernel, const FractionalMaxPoolOptions& options)
      : Layer("FractionalMaxPool2d", 2, kernel, options) {}
  TAPER_LAYER(FractionalMaxPool2d)
  /// Throws TypeError if return_indices is set; use forward_with_indices or `call`.
  Tensor forward(const Tensor& input) const;
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

/// Computes the maxima of windows at pseudo-random positions; see fractional_max_pool3d.
/// PyTorch: torch.nn.FractionalMaxPool3d.
class FractionalMaxPool3d : public Layer<FractionalMaxPool3d, FractionalMaxPoolBase> {
 public:
  explicit FractionalMaxPool3d(const Shape& kernel, const FractionalMaxPoolOptions& options)
      : Layer("FractionalMaxPool3d", 3, kernel, options) {}
  TAPER_LAYER(FractionalMaxPool3d)
  /// Throws TypeError if return_indices is set; use forward_with_indices or `call`.
  Tensor forward(const Tensor& input) const;
  std::pair<Tensor, Tensor> forward_with_indices(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
