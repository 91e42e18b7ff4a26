#include "ops/conv/transposed.h"

#include <algorithm>

#include "ops/conv/check.h"
#include "taper/core/factory.h"
#include "taper/ops/conv.h"
#include "taper/ops/reduce.h"

namespace taper {
namespace {

/// Returns `list` as text: "output_padding_height: 1 output_padding_width: 1".
std::string format_by_dimension(std::string_view argument, const Shape& list, std::size_t spatial) {
  constexpr std::string_view names[] = {"depth", "height", "width"};
  std::string text;
  for (std::size_t d = 0; d < spatial; ++d)
    text += (d ? " " : "") + std::string(argument) + "_" + std::string(names[3 - spatial + d]) +
            ": " + std::to_string(element_for_dim(list, d));
  return text;
}

std::int64_t output_size(const ConvCall& call, const ConvTranspose& o, std::int64_t input,
                         std::int64_t kernel, std::size_t d) {
  std::int64_t size = 0, kernel_extent = 0, total_padding = 0;
  if (__builtin_mul_overflow(input - 1, element_for_dim(o.stride, d), &size) ||
      __builtin_mul_overflow(kernel - 1, element_for_dim(o.dilation, d), &kernel_extent) ||
      __builtin_mul_overflow(element_for_dim(o.padding, d), 2, &total_padding) ||
      __builtin_add_overflow(size, kernel_extent, &size) ||
      __builtin_sub_overflow(size, total_padding, &size) ||
      __builtin_add_overflow(size, element_for_dim(o.output_padding, d), &size) ||
      __builtin_add_overflow(size, 1, &size))
    reject(call, "the output is too large: got stride={}, padding={}, dilation={}", o.stride,
           o.padding, o.dilation);
  return size;
}

}  // namespace

Shape check_transposed(const ShapeInference& i, const ConvTranspose& o) {
  const Shape &x = i.shape(0), &w = i.shape(1);
  if (w.size() < 3 || w.size() > 5) i.fail("expected a weight of 3, 4 or 5 dimensions, got {}", w);
  const ConvCall call{"conv_transpose", w.size() - 2};
  check_conv_arguments(call, o);
  check_list(call, "output_padding", o.output_padding);
  if (any_below(o.output_padding, 0))
    reject(call, "negative output_padding is not supported: got output_padding={}",
           o.output_padding);
  if (x.size() != w.size()) reject_rank(call, x);
  check_dtypes(call, i);
  check_weight(call, w, o.groups);
  if (x[1] != w[0])
    reject(
        call,
        "Given transposed=1, weight of size {}, expected input{} to have {} channels, but got {} "
        "channels instead",
        w, x, w[0], x[1]);
  const std::int64_t channels = w[1] * o.groups;
  if (i.has(2) && !(i.shape(2) == Shape{channels}))
    reject(call,
           "Given transposed=1, weight of size {}, expected bias to be 1-dimensional with {} "
           "elements, but got bias of size {} instead",
           w, channels, i.shape(2));
  Shape y{x[0], channels}, given, sizes;
  bool fits = true;
  for (std::size_t d = 0; d < call.spatial; ++d) {
    if (w[d + 2] < 1) reject(call, "kernel size must be at least 1: got weight of size {}", w);
    if (x[d + 2] < 1 && x[0] > 0)
      reject(call, "Only zero batch or zero channel inputs are supported, but got input shape: {}",
             x);
    const std::int64_t extra = element_for_dim(o.output_padding, d);
    if (extra >= element_for_dim(o.stride, d) && extra >= element_for_dim(o.dilation, d))
      reject(call,
             "output padding must be smaller than either stride or dilation, but got {} {} {}",
             format_by_dimension("output_padding", o.output_padding, call.spatial),
             format_by_dimension("stride", o.stride, call.spatial),
             format_by_dimension("dilation", o.dilation, call.spatial));
    const std::int64_t size = output_size(call, o, x[d + 2], w[d + 2], d);
    given.push_back(x[d + 2]), sizes.push_back(size), y.push_back(size);
    fits = fits && size > 0;
  }
  if (!fits)
    reject(call,
           "Given input size per channel: ({}). Calculated output size per channel: ({}). Output "
           "size is too small",
           join_sizes(given), join_sizes(sizes));
  return y;
}

ConvInput ConvTranspose::adjoint(const Shape& result) const {
  return {stride, padding, dilation, groups, {}, result};
}

std::int64_t ConvTranspose::surplus(std::size_t d) const {
  return element_for_dim(output_padding, d) / element_for_dim(stride, d) *
         element_for_dim(stride, d);
}

void ConvTranspose::infer(ShapeInference& i) const {
  const Shape y = check_transposed(i, *this);
  i.outs[i.num_outputs].channels_last = is_computed_channels_last(i.dtype(0), i.tensor(0).device());
  i.set_output(y, i.dtype(0));
}

double ConvTranspose::flops(const KernelArgs& k) const {
  const Shape& w = *k.in[1].shape;
  double sums = static_cast<double>(k.in[0].numel);
  for (std::size_t d = 1; d < w.size(); ++d) sums *= static_cast<double>(w[d]);
  return 2 * sums;
}

TAPER_DEFINE_OP(conv_transpose, ConvTranspose);

void ConvTranspose::backward(BackwardContext<ConvTranspose>& b) const {
  Tensor g = b.grad();
  if (b.needs_input_grad(2)) {
    Dims others{0};
    for (std::int64_t d = 2; d < g.dim(); ++d) others.push_back(d);
    b[2] = g.sum(others);
  }
  ConvOutput o{stride, padding, dilation, groups};
  // An output larger than the forward convolution covers shortens the padding at the end; if the
  // padding is too small, the gradient is narrowed.
  const std::size_t spatial = b.input_meta(0).shape.size() - 2;
  for (std::size_t d = 0; d < spatial; ++d) {
    const std::int64_t more = surplus(d), end = element_for_dim(padding, d);
    if (more == 0) continue;
    if (o.padding_end.empty())
      for (std::size_t i = 0; i < spatial; ++i)
        o.padding_end.push_back(element_for_dim(padding, i));
    o.padding_end[d] = std::max<std::int64_t>(end - more, 0);
    const auto dim = static_cast<std::int64_t>(d) + 2;
    if (more <= end) continue;
    const std::int64_t covered = g.size(dim) - (more - end);
    if (covered < 1) {  // the padding removes all products
      for (int i = 0; i < 2; ++i)
        if (b.needs_input_grad(i))
          b[i] = zeros(b.input_meta(i).shape, {.dtype = g.dtype(), .device = g.device()});
      return;
    }
    g = g.narrow(dim, 0, covered);
  }
  if (b.needs_input_grad(0)) b[0] = run(o, g, b.input<1>(), Tensor());
  if (!b.needs_input_grad(1)) return;
  ConvWeight weight = o.with_direction<ConvDirection::backward_weights>(b.input_meta(1).shape);
  weight.compute_grad_bias = false;
  b[1] = run_all(weight, g, b.input<0>())[0];
}

Tensor detail::conv_transpose(std::size_t spatial, const Tensor& input, const Tensor& weight,
                              OptionalTensorRef bias, const ConvTransposeFuncOptions& o) {
  const ConvCall call{"conv_transpose", spatial};
  check_defined(call, input, weight);
  if (weight.shape().size() != spatial + 2)
    reject(call, "expected a weight of {} dimensions, got {}", spatial + 2, weight.shape());
  const ConvTranspose op{o.stride, o.padding, o.output_padding, o.dilation, o.groups};
  return run_batched(call, op, input, weight, one_bias(call, bias, o.bias));
}

}  // namespace taper
