#include "ops/pool/window.h"

#include <algorithm>
#include <limits>

#include "ops/kernel/channels_last.h"
#include "ops/kernel/element.h"

namespace taper::pool {
namespace {

std::int64_t element_for_dim(const Shape& list, std::size_t i) {
  return list[list.size() == 1 ? 0 : i];
}

void check_list(const ShapeInference& i, const Shape& list, std::string_view argument,
                std::string_view accepted_forms) {
  if (list.size() != 1 && list.size() != 2)
    i.fail("{} must {}, or a tuple of two ints: got {}", argument, accepted_forms, list);
}

void check_input(const ShapeInference& i, const Shape& x) {
  if (x.size() != 3 && x.size() != 4)
    i.fail("non-empty 3D or 4D (batch mode) tensor expected for input: got shape {}", x);
  for (std::size_t d = x.size() == 4 ? 1 : 0; d < x.size(); ++d)
    if (x[d] <= 0 || x[d] > std::int64_t{1} << 62)
      i.fail(
          "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
          "got:{}",
          x);
}

}  // namespace

std::int64_t pooling_output_size(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                                 std::int64_t padding, std::int64_t dilation, bool ceil_mode) {
  const std::int64_t extent = size + 2 * padding - dilation * (kernel - 1) - 1;
  const std::int64_t up = extent + (ceil_mode ? stride - 1 : 0);
  std::int64_t out = (up >= 0 ? up / stride : -((-up + stride - 1) / stride)) + 1;
  // The last window must begin within the input or in the padding at its start.
  if (ceil_mode && (out - 1) * stride >= size + padding) --out;
  return out;
}

Sizes::Sizes(const Shape& s)
    : n(s.size() == 4 ? s[0] : 1), c(s[s.size() - 3]), h(s[s.size() - 2]), w(s[s.size() - 1]) {}

namespace {

Shape checked_result_shape(const ShapeInference& i, const Window& w, const Shape& x) {
  check_list(i, w.kernel_size, "kernel_size", "either be a single int");
  check_list(i, w.stride, "stride", "either be omitted, a single int");
  check_list(i, w.padding, "padding", "either be a single int");
  check_list(i, w.dilation, "dilation", "be either a single int");
  const std::int64_t limit = std::int64_t{1} << 31;
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t k = element_for_dim(w.kernel_size, d), s = element_for_dim(w.stride, d),
                       p = element_for_dim(w.padding, d), dilation = element_for_dim(w.dilation, d);
    if (s == 0) i.fail("stride should not be zero: got stride={}", w.stride);
    if (k < 1)
      i.fail("kernel size should be greater than zero, but got kH: {} kW: {}",
             element_for_dim(w.kernel_size, 0), element_for_dim(w.kernel_size, 1));
    if (s < 1)
      i.fail("stride should be greater than zero, but got dH: {} dW: {}",
             element_for_dim(w.stride, 0), element_for_dim(w.stride, 1));
    if (dilation < 1)
      i.fail("dilation should be greater than zero, but got dilationH: {} dilationW: {}",
             element_for_dim(w.dilation, 0), element_for_dim(w.dilation, 1));
    if (k > limit || s > limit || dilation > limit)
      i.fail("window too large: got kernel_size={}, stride={}, dilation={}", w.kernel_size,
             w.stride, w.dilation);
    if (p < 0) i.fail("pad must be non-negative, but got pad: {}", p);
    if (p > ((k - 1) * dilation + 1) / 2)
      i.fail(
          "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and "
          "dilation={}",
          p, k, dilation);
  }
  check_input(i, x);
  const Sizes in(x);
  Shape y = x;
  const std::size_t r = x.size() - 2;
  for (std::size_t d = 0; d < 2; ++d)
    y[r + d] = pooling_output_size(x[r + d], element_for_dim(w.kernel_size, d),
                                   element_for_dim(w.stride, d), element_for_dim(w.padding, d),
                                   element_for_dim(w.dilation, d), w.ceil_mode);
  if (y[r] < 1 || y[r + 1] < 1)
    i.fail(
        "Given input size: ({}x{}x{}). Calculated output size: ({}x{}x{}). Output size is too "
        "small",
        in.c, in.h, in.w, in.c, y[r], y[r + 1]);
  return y;
}

}  // namespace

Shape result_shape(const ShapeInference& i, const Window& w) {
  return checked_result_shape(i, w, i.shape(0));
}

void check_adjoint(const ShapeInference& i, const Window& w, const Shape& input,
                   const Shape& output) {
  Window other = w;
  for (const bool ceil_mode : {true, false}) {
    other.ceil_mode = ceil_mode;
    if (output == checked_result_shape(i, other, input)) return;
  }
  i.fail("inconsistent shapes: got input {} and output {}", input, output);
}

Shape stride_or_kernel(const std::optional<Shape>& stride, const Shape& kernel_size) {
  return stride && !stride->empty() ? *stride : kernel_size;
}

Shape resolve_adaptive_size(const AdaptiveSize& size, const Shape& input, std::size_t dims) {
  const auto& sizes = size.sizes();
  const bool has_nullopt = std::find(sizes.begin(), sizes.end(), std::nullopt) != sizes.end();
  // A single std::nullopt keeps the sizes of all dimensions, which may differ.
  const std::size_t count = sizes.size() == 1 && has_nullopt ? dims : sizes.size();
  Shape out;
  for (std::size_t d = 0; d < count; ++d) {
    const std::optional<std::int64_t>& one = sizes[sizes.size() == 1 ? 0 : d];
    // An input of too few dimensions is rejected by the op.
    const bool has_size = d < dims && input.size() >= dims;
    out.push_back(one ? *one : has_size ? input[input.size() - dims + d] : 0);
  }
  return out;
}

cpu::Pool2d make_pool_params(const Window& w, const Shape& input, const Shape& output) {
  const Sizes x(input), y(output);
  return {.n = x.n,
          .c = x.c,
          .h = x.h,
          .w = x.w,
          .ho = y.h,
          .wo = y.w,
          .kh = element_for_dim(w.kernel_size, 0),
          .kw = element_for_dim(w.kernel_size, 1),
          .sh = element_for_dim(w.stride, 0),
          .sw = element_for_dim(w.stride, 1),
          .ph = element_for_dim(w.padding, 0),
          .pw = element_for_dim(w.padding, 1),
          .dh = element_for_dim(w.dilation, 0),
          .dw = element_for_dim(w.dilation, 1)};
}

Shape adaptive_shape(const ShapeInference& i, const Shape& output_size, bool allows_no_channels) {
  const Shape& x = i.shape(0);
  if (output_size.size() > 2 || output_size.empty())
    i.fail("output_size must be 2: got {}", output_size);
  if (x.size() != 3 && x.size() != 4) i.fail("Expected 3D or 4D tensor, but got {}", x);
  for (std::size_t d = allows_no_channels ? x.size() - 2 : 1; d < x.size(); ++d)
    if (x[d] == 0)
      i.fail(
          "Expected input to have non-zero size for non-batch dimensions, but input has sizes {} "
          "with dimension {} being empty",
          x, d);
  Shape y = x;
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t size = output_size[output_size.size() == 1 ? 0 : d];
    if (size < 0)
      i.fail("elements of output_size must be greater than or equal to 0 but received {}",
             output_size);
    y[x.size() - 2 + d] = size;
  }
  return y;
}
cpu::Pool2d make_adaptive_params(const Shape& input, const Shape& output) {
  const Sizes x(input), y(output);
  return {.n = x.n,
          .c = x.c,
          .h = x.h,
          .w = x.w,
          .ho = y.h,
          .wo = y.w,
          .kh = 1 + x.h / std::max<std::int64_t>(y.h, 1),
          .kw = 1 + x.w / std::max<std::int64_t>(y.w, 1),
          .adaptive = true};
}

std::optional<PhysicalLayout> kernel_layout(const View& in, const View& out) {
  const std::size_t rank = in.shape->size();
  if (in.dtype != DType::f32 || (rank != 3 && rank != 4)) return std::nullopt;
  // Kernels represent positions within a plane as 32-bit integers.
  constexpr std::int64_t kMaxPlane = std::numeric_limits<std::int32_t>::max();
  for (const View* v : {&in, &out})
    if (const Sizes s(*v->shape); s.w > 0 && s.h > kMaxPlane / s.w) return std::nullopt;
  // Outputs of one channel or position have both layouts.
  const bool is_row_major = is_contiguous(out);
  if (is_row_major && is_contiguous(in)) return PhysicalLayout::row_major;
  if (rank == 4 && kernel::is_dense_channels_last(out)) return PhysicalLayout::channels_last;
  return is_row_major ? std::optional(PhysicalLayout::row_major) : std::nullopt;
}

void set_output_like(ShapeInference& i, const TensorImpl& like, const Shape& shape, DType dtype) {
  i.outs[i.num_outputs].channels_last = shape.size() == 4 && kernel::suggests_channels_last(like);
  i.set_output(shape, dtype);
}

ElementAddress::ElementAddress(const View& v) : data(v.data), n(0) {
  const std::size_t r = v.shape->size() - 3;
  const std::int64_t size = kernel::element_size(v);
  const Shape& s = *v.strides;
  if (r == 1) n = s[0] * size;
  c = s[r] * size, h = s[r + 1] * size, w = s[r + 2] * size;
}

}  // namespace taper::pool
