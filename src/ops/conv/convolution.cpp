#include "ops/conv/convolution.h"

#include <algorithm>
#include <tuple>

#include "ops/conv/check.h"
#include "ops/conv/options.h"

namespace taper {
namespace {

/// Specifies an output, which is channels-last if kernels compute it so.
void set_channels_output(ShapeInference& i, const Shape& shape, DType dtype) {
  i.outs[i.num_outputs].channels_last = is_computed_channels_last(dtype, i.tensor(0).device());
  i.set_output(shape, dtype);
}

}  // namespace

template <ConvDirection C>
cpu::ConvParams Convolution<C>::make_params(const Shape& x, const Shape& w, const Shape& y) const {
  cpu::ConvParams c;
  c.spatial = static_cast<int>(w.size() - 2);
  c.batch = x[0], c.in_channels = x[1], c.out_channels = w[0], c.groups = groups;
  for (std::size_t d = 0; d + 2 < w.size(); ++d) {
    c.input[d] = x[d + 2], c.kernel[d] = w[d + 2];
    c.output[d] = d + 2 < y.size() ? y[d + 2] : 0;
    c.stride[d] = element_for_dim(stride, d), c.dilation[d] = element_for_dim(dilation, d);
    c.padding[d] = element_for_dim(padding, d);
    c.padding_end[d] = padding_end.empty() ? c.padding[d] : element_for_dim(padding_end, d);
    // The stride of a single output and the dilation of a single kernel position move nothing, but
    // kernels multiply them by sizes. A padded input is small enough for that. With its size as the
    // stride, the sizes of input and kernel still determine a single output.
    if (c.output[d] == 1)
      c.stride[d] = std::min(
          c.stride[d], std::max<std::int64_t>(c.input[d] + c.padding[d] + c.padding_end[d], 1));
    if (c.kernel[d] == 1)
      c.dilation[d] = std::min(c.dilation[d], std::max<std::int64_t>(c.input[d], 1));
  }
  return c;
}

template <> void ConvOutput::infer(ShapeInference& i) const {
  set_channels_output(i, check_convolution(i, *this), i.dtype(0));
}
template <> void ConvInput::infer(ShapeInference& i) const {
  check_adjoint(i, with_direction<ConvDirection::forward>(), input_size, i.shape(1), i.shape(0));
  set_channels_output(i, input_size, i.dtype(0));
}
template <> void ConvWeight::infer(ShapeInference& i) const {
  check_adjoint(i, with_direction<ConvDirection::forward>(), i.shape(0), input_size, i.shape(1));
  i.set_optional_output(compute_grad_weight, input_size, i.dtype(0));
  i.set_optional_output(compute_grad_bias, {input_size[0]}, i.dtype(0));
}

template <ConvDirection C> double Convolution<C>::flops(const KernelArgs& k) const {
  const ConvViews<C> v(k);
  const Shape& w = C == ConvDirection::backward_weights ? input_size : *v.w.shape;
  double sums = static_cast<double>(v.y.numel);
  for (std::size_t d = 1; d < w.size(); ++d) sums *= static_cast<double>(w[d]);
  return 2 * sums;
}
template double Convolution<ConvDirection::forward>::flops(const KernelArgs&) const;
template cpu::ConvParams Convolution<ConvDirection::forward>::make_params(const Shape&,
                                                                          const Shape&,
                                                                          const Shape&) const;
template double Convolution<ConvDirection::backward_data>::flops(const KernelArgs&) const;
template cpu::ConvParams Convolution<ConvDirection::backward_data>::make_params(const Shape&,
                                                                                const Shape&,
                                                                                const Shape&) const;
template double Convolution<ConvDirection::backward_weights>::flops(const KernelArgs&) const;
template cpu::ConvParams Convolution<ConvDirection::backward_weights>::make_params(
    const Shape&, const Shape&, const Shape&) const;

TAPER_DEFINE_OP(convolution, ConvOutput);
TAPER_DEFINE_OP(convolution_input, ConvInput);
TAPER_DEFINE_OP(convolution_weight, ConvWeight);

template <> void ConvOutput::backward(BackwardContext<ConvOutput>& b) const {
  const Tensor& g = b.grad();
  if (b.needs_input_grad(0))
    b[0] =
        run(with_direction<ConvDirection::backward_data>(b.input_meta(0).shape), g, b.input<1>());
  if (!b.needs_input_grad(1) && !b.needs_input_grad(2)) return;
  ConvWeight o = with_direction<ConvDirection::backward_weights>(b.input_meta(1).shape);
  o.compute_grad_weight = b.needs_input_grad(1), o.compute_grad_bias = b.needs_input_grad(2);
  auto [dw, db] = run_all(o, b.input<0>(), g);
  b[1] = std::move(dw);
  if (b.needs_input_grad(2)) b[2] = std::move(db);
}

template <> void ConvInput::backward(BackwardContext<ConvInput>& b) const {  // x = adjoint(y, w)
  if (b.needs_input_grad(0))
    b[0] = run(with_direction<ConvDirection::forward>(), b.grad(), b.input<1>(), Tensor());
  if (!b.needs_input_grad(1)) return;
  ConvWeight o = with_direction<ConvDirection::backward_weights>(b.input_meta(1).shape);
  o.compute_grad_bias = false;
  b[1] = run_all(o, b.grad(), b.input<0>())[0];
}

template <>
void ConvWeight::backward(BackwardContext<ConvWeight>& b) const {  // w, bias = adjoint(x, y)
  const Tensor db = b.has_grad(1) ? b.grad(1) : Tensor();
  if (b.needs_input_grad(0) && b.has_grad(0))
    b[0] = run(with_direction<ConvDirection::backward_data>(b.input_meta(0).shape), b.input<1>(),
               b.grad(0));
  if (!b.needs_input_grad(1)) return;
  if (b.has_grad(0)) {
    b[1] = run(with_direction<ConvDirection::forward>(), b.input<0>(), b.grad(0), db);
  } else if (db.defined()) {
    Shape channels = Shape::filled(input_size.size(), 1);
    channels[1] = db.numel();
    b[1] = db.view(channels).expand(b.input_meta(1).shape);
  }
}

namespace {

ConvOutput make_convolution(std::size_t dims, const Shape& weight, const Shape& stride,
                            const ConvPadding& padding, const Shape& dilation,
                            std::int64_t groups) {
  ConvOutput o{stride, padding.sizes, dilation, groups};
  if (o.stride.size() == 1) o.stride = Shape::filled(dims, o.stride[0]);
  if (!padding.same()) return o;
  check_same(o.stride);
  const std::size_t spatial = weight.size() < 2 ? 0 : weight.size() - 2;
  o.padding = o.padding_end = Shape::filled(spatial, 0);
  if (o.dilation.size() != 1 && o.dilation.size() != spatial) return o;  // rejected by infer
  for (std::size_t d = 0; d < spatial; ++d)
    std::tie(o.padding[d], o.padding_end[d]) =
        padding.sides(d, weight[d + 2], element_for_dim(o.dilation, d));
  if (o.padding == o.padding_end) o.padding_end.clear();
  return o;
}

}  // namespace

Tensor detail::conv(std::size_t spatial, const Tensor& input, const Tensor& weight,
                    OptionalTensorRef bias, const ConvFuncOptions& o) {
  const ConvCall call{"conv", spatial};
  check_defined(call, input, weight);
  return run_batched(
      call, make_convolution(spatial, weight.shape(), o.stride, o.padding, o.dilation, o.groups),
      input, weight, one_bias(call, bias, o.bias));
}

Tensor detail::conv(std::size_t spatial, const Tensor& input, const Tensor& weight,
                    OptionalTensorRef bias, const ConvAttributes& a) {
  const ConvCall call{"conv", spatial};
  check_defined(call, input, weight);
  return run_batched(
      call, make_convolution(spatial, weight.shape(), a.stride, a.padding, a.dilation, a.groups),
      input, weight, bias);
}

}  // namespace taper
