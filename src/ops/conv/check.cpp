// Argument checks of convolutions and transposed convolutions.
#include "ops/conv/check.h"

#include "core/dtype_table.h"
#include "ops/conv/convolution.h"
#include "ops/conv/transposed.h"
#include "ops/promote.h"

namespace taper {
namespace {

/// Returns the name of a dtype as it appears in PyTorch's errors about inputs.
std::string_view type_name(DType t) { return names_of(t).c_type; }

}  // namespace

void reject_rank(const ConvCall& call, const Shape& input) {
  reject(call,
         "Expected {}D (unbatched) or {}D (batched) input to {}{}d, but got input of size: {}",
         call.spatial + 1, call.spatial + 2, call.name, call.spatial, input);
}

bool any_below(const Shape& list, std::int64_t min) {
  for (std::int64_t v : list)
    if (v < min) return true;
  return false;
}

std::string join_sizes(const Shape& sizes) {
  std::string text;
  for (std::int64_t s : sizes) text += (text.empty() ? "" : " x ") + std::to_string(s);
  return text;
}

void check_dtypes(const ConvCall& call, const ShapeInference& i) {
  const DType t = i.dtype(0);
  if (i.has(2) && i.dtype(2) != t)
    reject<DTypeError>(call, "Input type ({}) and bias type ({}) should be the same", type_name(t),
                       type_name(i.dtype(2)));
  if (i.dtype(1) != t)
    reject<DTypeError>(call, "Input type ({}) and weight type ({}) should be the same",
                       type_name(t), type_name(i.dtype(1)));
}

namespace {
void reject_dtype(std::string_view name, const ShapeInference& i) {
  const std::size_t rank = i.rank(1);
  if (rank < 3) i.reject_dtype(i.common);
  reject<NotImplementedError>({name, rank - 2}, "not implemented for '{}'", legacy_name(i.common));
}
}  // namespace
void convolution_dtype_error(const ShapeInference& i) { reject_dtype("conv", i); }
void transposed_dtype_error(const ShapeInference& i) { reject_dtype("conv_transpose", i); }

void check_weight(const ConvCall& call, const Shape& w, std::int64_t groups) {
  if (w[0] < 1)
    reject(call,
           "Given groups={}, expected weight to be at least {} at dimension 0, but got weight of "
           "size {} instead",
           groups, groups, w);
  if (w[0] % groups != 0)
    reject(call,
           "Given groups={}, expected weight to be divisible by {} at dimension 0, but got weight "
           "of size {} instead",
           groups, groups, w);
  // A size of 0 elsewhere, or the size of a gradient, leaves the channels unbounded.
  std::int64_t channels = 0;
  if (w[1] < 0 || __builtin_mul_overflow(w[1], groups, &channels))
    reject(call, "Given groups={}, weight of size {} has an invalid number of channels", groups, w);
}

Shape check_convolution(const ShapeInference& i, const ConvOutput& o) {
  const Shape y = check_conv_shapes(i, o, i.shape(0), i.shape(1));
  const Shape& w = i.shape(1);
  if (i.has(2) && !(i.shape(2) == Shape{w[0]}))
    reject({"conv", w.size() - 2},
           "Given weight of size {}, expected bias to be 1-dimensional with {} elements, but got "
           "bias of size {} instead",
           w, w[0], i.shape(2));
  return y;
}

void check_adjoint(const ShapeInference& i, const ConvOutput& o, const Shape& x, const Shape& w,
                   const Shape& grad) {
  const Shape y = check_conv_shapes(i, o, x, w);
  if (!(grad == y))
    i.fail("expected a gradient of shape {} for input {} and weight {}, got {}", y, x, w, grad);
}

Shape check_conv_shapes(const ShapeInference& i, const ConvOutput& o, const Shape& x,
                        const Shape& w) {
  if (w.size() < 3 || w.size() > 5) i.fail("expected a weight of 3, 4 or 5 dimensions, got {}", w);
  const std::size_t spatial = w.size() - 2;
  const ConvCall call{"conv", spatial};
  check_conv_arguments(call, o);
  if (!o.padding_end.empty()) check_list(call, "padding", o.padding_end);
  if (any_below(o.padding_end, 0))
    reject(call, "negative padding is not supported: got padding={}", o.padding_end);
  if (x.size() != w.size()) reject_rank(call, x);
  check_dtypes(call, i);
  check_weight(call, w, o.groups);
  if (x[1] != w[1] * o.groups)
    reject(call,
           "Given groups={}, weight of size {}, expected input{} to have {} channels, but got {} "
           "channels instead",
           o.groups, w, x, w[1] * o.groups, x[1]);
  Shape y{x[0], w[0]}, padded, kernel_extents;
  bool fits = true;
  // Kernels compute byte offsets into a padded image, which must not overflow.
  std::int64_t image = 0;
  bool fits_in_int64 = !__builtin_mul_overflow(x[1], std::int64_t{sizeof(double)}, &image);
  const cpu::ConvParams c = o.make_params(x, w, y);
  for (std::size_t d = 0; d < spatial; ++d) {
    if (c.kernel[d] < 1) reject(call, "kernel size must be at least 1: got weight of size {}", w);
    if (c.input[d] < 1 && x[0] > 0)
      reject(call, "Only zero batch or zero channel inputs are supported, but got input shape: {}",
             x);
    std::int64_t size = 0;
    if (__builtin_add_overflow(c.input[d], c.padding[d], &size) ||
        __builtin_add_overflow(size, c.padding_end[d], &size))
      fits_in_int64 = false;
    else
      fits_in_int64 = fits_in_int64 && !__builtin_mul_overflow(image, size, &image);
    if (!fits_in_int64) reject(call, "the padded input is too large: got padding={}", o.padding);
    std::int64_t extent = 0;
    if (__builtin_mul_overflow(c.dilation[d], c.kernel[d] - 1, &extent) ||
        __builtin_add_overflow(extent, 1, &extent))
      reject(call, "the dilated kernel is too large: got dilation={}", o.dilation);
    padded.push_back(size), kernel_extents.push_back(extent);
    fits = fits && extent <= size;
    y.push_back(fits ? (size - extent) / c.stride[d] + 1 : 0);
  }
  if (!fits)
    reject(
        call,
        "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be "
        "greater than actual input size",
        join_sizes(padded), join_sizes(kernel_extents));
  return y;
}

}  // namespace taper
