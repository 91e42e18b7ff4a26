#pragma once
#include "cpu/conv/conv.h"
#include "ops/op.h"

namespace taper {

/// Direction of a convolution y = x * w: the forward product or the adjoint by x or w. The three
/// are closed under differentiation because y is linear in x and in w.
enum class ConvDirection { forward, backward_data, backward_weights };

/// Throws NotImplementedError for the unsupported dtype `i.common`. The message names the function
/// for the number of spatial dimensions, such as conv2d.
void convolution_dtype_error(const ShapeInference& i);

/// Convolution or one of its adjoints.
template <ConvDirection C> struct Convolution {
  Shape stride{1}, padding{0}, dilation{1};
  std::int64_t groups = 1;
  Shape padding_end{};  ///< padding at the end; empty if it is equal to `padding`
  Shape input_size{};   ///< adjoints only: shape of the output
  /// backward_weights only: selects the outputs to compute.
  bool compute_grad_weight = true, compute_grad_bias = true;
  TAPER_ATTRIBUTES(stride, padding, dilation, groups, padding_end, input_size, compute_grad_weight,
                   compute_grad_bias)
  static constexpr OpInfo op{
      .name = C == ConvDirection::forward         ? "convolution"
              : C == ConvDirection::backward_data ? "convolution_input"
                                                  : "convolution_weight",
      .node = C == ConvDirection::forward ? "ConvolutionBackward0" : "ConvolutionBackwardBackward0",
      .inputs = C == ConvDirection::forward         ? "input weight bias?"
                : C == ConvDirection::backward_data ? "grad weight"
                                                    : "input grad",
      .outputs = C == ConvDirection::backward_weights ? "grad_weight grad_bias" : "output",
      .dtypes = C == ConvDirection::forward ? DTypeSet::no_bool : DTypeSet::floating,
      .saved = in(0) | in(1),
      .autocast = C == ConvDirection::forward ? AutocastPolicy::lower_precision
                                              : AutocastPolicy::passthrough,
      .has_cpu_kernel = true,
      .half_in_f32 = true,
      .dtype_error = convolution_dtype_error};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Convolution>& b) const;
  double flops(const KernelArgs& k) const;

  template <ConvDirection To> Convolution<To> with_direction(const Shape& shape = {}) const {
    return {stride, padding, dilation, groups, padding_end, shape};
  }
  /// Returns the kernel parameters for input x, weight w and output y of the forward convolution,
  /// whose shapes must be consistent.
  cpu::ConvParams make_params(const Shape& x, const Shape& w, const Shape& y) const;
};

/// Returns true if outputs are channels-last: on the CPU, for the dtypes of the CPU kernel.
inline bool is_computed_channels_last(DType dtype, Device device) {
  return device.is_cpu() && is_floating_point(dtype) && dtype != DType::f64;
}

using ConvOutput = Convolution<ConvDirection::forward>;
using ConvInput = Convolution<ConvDirection::backward_data>;
using ConvWeight = Convolution<ConvDirection::backward_weights>;

template <> void ConvOutput::infer(ShapeInference& i) const;
template <> void ConvOutput::backward(BackwardContext<ConvOutput>& b) const;
template <> void ConvInput::infer(ShapeInference& i) const;
template <> void ConvInput::backward(BackwardContext<ConvInput>& b) const;
template <> void ConvWeight::infer(ShapeInference& i) const;
template <> void ConvWeight::backward(BackwardContext<ConvWeight>& b) const;

/// Assigns the views of x, w and y to inputs and output according to the direction.
template <ConvDirection C> struct ConvViews {
  const View &x, &w, &y;
  explicit ConvViews(const KernelArgs& k)
      : x(C == ConvDirection::backward_data ? k.out[0] : k.in[0]),
        w(C == ConvDirection::backward_weights ? k.out[0] : k.in[1]),
        y(C == ConvDirection::forward         ? k.out[0]
          : C == ConvDirection::backward_data ? k.in[0]
                                              : k.in[1]) {}
};

/// Checks the arguments and returns the shape of the output. Throws ShapeError or DTypeError with
/// PyTorch's messages.
Shape check_convolution(const ShapeInference& i, const ConvOutput& o);
/// As check_convolution, without the bias, for input x and weight w.
Shape check_conv_shapes(const ShapeInference& i, const ConvOutput& o, const Shape& x,
                        const Shape& w);
/// Throws ShapeError unless `grad` has the shape of the output for input x and weight w.
void check_adjoint(const ShapeInference& i, const ConvOutput& o, const Shape& x, const Shape& w,
                   const Shape& grad);

}  // namespace taper
