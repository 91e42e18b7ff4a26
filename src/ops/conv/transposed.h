#pragma once
#include "ops/conv/convolution.h"

namespace taper {

/// Throws NotImplementedError for the unsupported dtype `i.common`. The message names the function
/// for the number of spatial dimensions, such as conv_transpose2d.
void transposed_dtype_error(const ShapeInference& i);

/// Transposed convolution: the adjoint of a convolution with respect to its input, with a bias.
/// Computes the output size from the options.
struct ConvTranspose {
  Shape stride{1}, padding{0}, output_padding{0}, dilation{1};
  std::int64_t groups = 1;
  TAPER_ATTRIBUTES(stride, padding, output_padding, dilation, groups)
  static constexpr OpInfo op{.name = "conv_transpose",
                             .node = "ConvolutionBackward0",
                             .inputs = "input weight bias?",
                             .dtypes = DTypeSet::floating | DTypeSet{DType::i64},
                             .saved = in(0) | in(1),
                             .autocast = AutocastPolicy::lower_precision,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .dtype_error = transposed_dtype_error};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ConvTranspose>& b) const;
  double flops(const KernelArgs& k) const;

  /// Returns the same operation without a bias, as an adjoint with output shape `result`.
  ConvInput adjoint(const Shape& result) const;
  /// Returns by how much output dimension d exceeds the size that a forward convolution maps to the
  /// size of the input: a multiple of the stride, nonzero only if the dilation exceeds the stride.
  std::int64_t surplus(std::size_t d) const;
};

/// Checks the arguments and returns the shape of the output. Throws ShapeError or DTypeError with
/// PyTorch's messages.
Shape check_transposed(const ShapeInference& i, const ConvTranspose& o);

}  // namespace taper
