#include "ops/conv/convolution.h"

#include "taper/ops/conv.h"

namespace taper {
namespace {

std::int64_t at(const Shape& list, std::size_t i) { return list[list.size() == 1 ? 0 : i]; }

/// Channels-last pays where kernels for it exist.
void give_activation(Infer& i, const Shape& shape, DType dtype) {
  i.outs[i.given].channels_last = dtype == DType::f32 && i.tensor(0).device().is_cpu();
  i.give(shape, dtype);
}

}  // namespace

template <ConvOf C>
backend::Conv Convolution<C>::geometry(const Shape& x, const Shape& w, const Shape& y) const {
  backend::Conv c;
  c.spatial = static_cast<int>(w.size() - 2);
  c.batch = x[0], c.in_channels = x[1], c.out_channels = w[0], c.groups = groups;
  for (std::size_t d = 0; d + 2 < w.size(); ++d) {
    c.input[d] = x[d + 2], c.kernel[d] = w[d + 2];
    c.output[d] = d + 2 < y.size() ? y[d + 2] : 0;
    c.stride[d] = at(stride, d), c.dilation[d] = at(dilation, d);
    c.padding[d] = at(padding, d);
    c.padding_end[d] = padding_end.empty() ? c.padding[d] : at(padding_end, d);
  }
  return c;
}

template <> void ConvOutput::infer(Infer& i) const {
  give_activation(i, check_convolution(i, *this), i.dtype(0));
}
template <> void ConvInput::infer(Infer& i) const { give_activation(i, result, i.dtype(0)); }
template <> void ConvWeight::infer(Infer& i) const {
  i.give_if(wants_weight, result, i.dtype(0));
  i.give_if(wants_bias, {result.empty() ? 0 : result[0]}, i.dtype(0));
}

template <ConvOf C> double Convolution<C>::flops(const KernelArgs& k) const {
  const ConvViews<C> v(k);
  const Shape& w = C == ConvOf::weight ? result : *v.w.shape;
  double sums = static_cast<double>(v.y.numel);
  for (std::size_t d = 1; d < w.size(); ++d) sums *= static_cast<double>(w[d]);
  return 2 * sums;
}
template double Convolution<ConvOf::output>::flops(const KernelArgs&) const;
template backend::Conv Convolution<ConvOf::output>::geometry(const Shape&, const Shape&,
                                                             const Shape&) const;
template double Convolution<ConvOf::input>::flops(const KernelArgs&) const;
template backend::Conv Convolution<ConvOf::input>::geometry(const Shape&, const Shape&,
                                                            const Shape&) const;
template double Convolution<ConvOf::weight>::flops(const KernelArgs&) const;
template backend::Conv Convolution<ConvOf::weight>::geometry(const Shape&, const Shape&,
                                                             const Shape&) const;

TAPER_DEFINE_OP(convolution, ConvOutput);
TAPER_DEFINE_OP(convolution_input, ConvInput);
TAPER_DEFINE_OP(convolution_weight, ConvWeight);

template <> void ConvOutput::backward(BackwardContext<ConvOutput>& b) const {
  const Tensor& g = b.grad();
  if (b.needs_input_grad(0)) b[0] = run(as<ConvOf::input>(b.in_meta(0).shape), g, b.input<1>());
  if (!b.needs_input_grad(1) && !b.needs_input_grad(2)) return;
  ConvWeight o = as<ConvOf::weight>(b.in_meta(1).shape);
  o.wants_weight = b.needs_input_grad(1), o.wants_bias = b.needs_input_grad(2);
  auto [dw, db] = run_all(o, b.input<0>(), g);
  b[1] = std::move(dw);
  if (b.needs_input_grad(2)) b[2] = std::move(db);
}

template <> void ConvInput::backward(BackwardContext<ConvInput>& b) const {  // x = adjoint(y, w)
  if (b.needs_input_grad(0)) b[0] = run(as<ConvOf::output>(), b.grad(), b.input<1>(), Tensor());
  if (!b.needs_input_grad(1)) return;
  ConvWeight o = as<ConvOf::weight>(b.in_meta(1).shape);
  o.wants_bias = false;
  b[1] = run_all(o, b.grad(), b.input<0>())[0];
}

template <>
void ConvWeight::backward(BackwardContext<ConvWeight>& b) const {  // w, bias = adjoint(x, y)
  const Tensor db = b.has_grad(1) ? b.grad(1) : Tensor();
  if (b.needs_input_grad(0) && b.has_grad(0))
    b[0] = run(as<ConvOf::input>(b.in_meta(0).shape), b.input<1>(), b.grad(0));
  if (!b.needs_input_grad(1)) return;
  if (b.has_grad(0)) {
    b[1] = run(as<ConvOf::output>(), b.input<0>(), b.grad(0), db);
  } else if (db) {
    Shape channels = Shape::filled(result.size(), 1);
    channels[1] = db.numel();
    b[1] = db.view(channels).expand(b.in_meta(1).shape);
  }
}

ConvPadding::ConvPadding(std::string_view word) : same_(word == "same") {
  if (word != "same" && word != "valid")
    fail<ValueError>("conv: Invalid padding string: '{}', should be one of {{'same', 'valid'}}",
                     word);
}

namespace {

ConvOutput attributes(std::size_t spatial, const Shape& weight, const ConvOptions& options) {
  ConvOutput o{options.stride, options.padding.zeros(), options.dilation, options.groups};
  if (o.stride.size() == 1) o.stride = Shape::filled(spatial, o.stride[0]);
  if (!options.padding.same()) return o;
  for (std::int64_t s : o.stride)
    if (s != 1)
      fail<ValueError>(
          "conv{}d: padding='same' is not supported for strided convolutions: got stride={}",
          spatial, o.stride);
  o.padding = o.padding_end = Shape::filled(spatial, 0);
  if (weight.size() != spatial + 2) return o;
  if (o.dilation.size() != 1 && o.dilation.size() != spatial) return o;
  for (std::size_t d = 0; d < spatial; ++d) {
    const std::int64_t total = at(o.dilation, d) * (weight[d + 2] - 1);
    o.padding[d] = total / 2, o.padding_end[d] = total - total / 2;
  }
  if (o.padding == o.padding_end) o.padding_end.clear();
  return o;
}

Tensor convolve(std::size_t spatial, const Tensor& input, const Tensor& weight, const Tensor& bias,
                const ConvOptions& options) {
  const ConvOutput o = attributes(spatial, weight.shape(), options);
  const std::size_t rank = input.shape().size();
  if (rank != spatial + 1 && rank != spatial + 2)
    fail<ShapeError>(
        "conv{}d: Expected {}D (unbatched) or {}D (batched) input to conv{}d, but got input of "
        "size: {}",
        spatial, spatial + 1, spatial + 2, spatial, input.shape());
  if (rank == spatial + 2) return run(o, input, weight, bias);
  return run(o, input.unsqueeze(0), weight, bias).squeeze(Dims{0});
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvOptions& o) {
  return convolve(1, x, w, bias, o);
}
Tensor conv2d(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvOptions& o) {
  return convolve(2, x, w, bias, o);
}
Tensor conv3d(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvOptions& o) {
  return convolve(3, x, w, bias, o);
}
Tensor conv1d(const Tensor& x, const Tensor& w) { return convolve(1, x, w, {}, {}); }
Tensor conv2d(const Tensor& x, const Tensor& w) { return convolve(2, x, w, {}, {}); }
Tensor conv3d(const Tensor& x, const Tensor& w) { return convolve(3, x, w, {}, {}); }

}  // namespace taper
