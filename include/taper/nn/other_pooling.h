// Power-average pooling, max unpooling and fractional max pooling layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/detail/output_size.h"
#include "taper/nn/functional/pooling.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of LPPool1d, LPPool2d and LPPool3d.
struct LPPoolOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape stride{};  ///< default: kernel_size
  bool ceil_mode = false;  ///< rounds the output size up instead of down
  TAPER_OPTIONS(stride, ceil_mode)
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
  TAPER_OPTIONS(stride, padding)
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
  TAPER_OPTIONS(output_size, output_ratio, return_indices, _random_samples)
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
