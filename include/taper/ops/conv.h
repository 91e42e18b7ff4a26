// Convolutions, and transposed ones.
#pragma once
#include <string_view>

#include "taper/core/tensor.h"

namespace taper {

/// Zeros around an input: a count per spatial dimension (or one for all), "valid" for none, or
/// "same" for as many as keep the size (of an odd total the last side gets the extra one).
class ConvPadding {
 public:
  template <std::integral I> ConvPadding(I zeros) : zeros_(zeros) {}
  ConvPadding(std::initializer_list<std::int64_t> zeros) : zeros_(zeros) {}
  ConvPadding(Shape zeros) : zeros_(static_cast<Shape&&>(zeros)) {}
  /// Throws ValueError for any other word.
  ConvPadding(std::string_view word);
  ConvPadding(const char* word) : ConvPadding(std::string_view(word)) {}

  bool same() const { return same_; }
  const Shape& zeros() const { return zeros_; }

 private:
  Shape zeros_{0};
  bool same_ = false;
};

/// Lists hold one number per spatial dimension, or one for all.
struct ConvOptions {
  Shape stride{1};
  ConvPadding padding{0};
  Shape dilation{1};
  std::int64_t groups = 1;
};

/// Slides `weight` (O, C / groups, kH, kW) over `input` (N, C, H, W), or (C, H, W), and adds `bias`
/// (O) if it is defined: (N, O, H', W') with H' = (H + 2 padding - dilation (kH - 1) - 1) / stride
/// +
/// 1. Throws ShapeError for sizes, strides, dilations and groups that do not fit, DTypeError if
/// dtypes differ. PyTorch: F.conv2d.
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
              const ConvOptions& options = {});
Tensor conv2d(const Tensor& input, const Tensor& weight);
/// The same over one dimension: input (N, C, L), weight (O, C / groups, k). PyTorch: F.conv1d.
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
              const ConvOptions& options = {});
Tensor conv1d(const Tensor& input, const Tensor& weight);
/// The same over three: input (N, C, D, H, W), weight (O, C / groups, kD, kH, kW).
/// PyTorch: F.conv3d.
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias,
              const ConvOptions& options = {});
Tensor conv3d(const Tensor& input, const Tensor& weight);

/// Lists hold one number per spatial dimension, or one for all.
struct ConvTransposeOptions {
  Shape stride{1};
  Shape padding{0};         ///< rows that the result lacks at each side
  Shape output_padding{0};  ///< rows that it has more at its end: below the stride or the dilation
  std::int64_t groups = 1;
  Shape dilation{1};
};

/// What a convolution with `weight` (C, O / groups, kH, kW) takes to `input` (N, C, H, W), or
/// (C, H, W), were it its gradient, plus `bias` (O) if it is defined: (N, O, H', W') with
/// H' = (H - 1) stride - 2 padding + dilation (kH - 1) + output_padding + 1. Throws ShapeError for
/// sizes and options that do not fit, DTypeError if dtypes differ. PyTorch: F.conv_transpose2d.
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        const ConvTransposeOptions& options = {});
/// The same over one dimension: input (N, C, L), weight (C, O / groups, k).
/// PyTorch: F.conv_transpose1d.
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        const ConvTransposeOptions& options = {});
/// The same over three: input (N, C, D, H, W), weight (C, O / groups, kD, kH, kW).
/// PyTorch: F.conv_transpose3d.
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        const ConvTransposeOptions& options = {});

}  // namespace taper
