#pragma once
#include "ops/conv/convolution.h"

namespace taper {

/// The adjoint of a convolution by its input as an operation of its own: it finds the result's size
/// by itself, and has a bias.
struct ConvTranspose {
  Shape stride{1}, padding{0}, output_padding{0}, dilation{1};
  std::int64_t groups = 1;
  TAPER_ATTRIBUTES(stride, padding, output_padding, dilation, groups)
  static constexpr OpInfo op{.name = "conv_transpose",
                             .node = "ConvolutionBackward0",
                             .inputs = "input weight bias?",
                             .saved = in(0) | in(1),
                             .autocast = Autocast::lower,
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<ConvTranspose>& b) const;
  double flops(const KernelArgs& k) const;

  /// The same without a bias.
  ConvInput adjoint(const Shape& result) const;
  /// By how much the result of dimension d exceeds what a convolution to the input's size takes: a
  /// multiple of the stride, zero unless the dilation is above it.
  std::int64_t surplus(std::size_t d) const;
};

/// Refuses what cannot be convolved, in PyTorch's words, and gives the shape of the result.
Shape check_transposed(const Infer& i, const ConvTranspose& o);

}  // namespace taper
