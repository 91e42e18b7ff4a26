// Inverse of max pooling, and power means of windows.
#include <limits>

#include "ops/autocast.h"
#include "ops/check_defined.h"
#include "ops/pool/functions.h"
#include "ops/pool/window.h"
#include "ops/pool/windows_nd.h"
#include "ops/promote.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

/// Returns the sizes of the output: the default ones, or the given ones if they are possible.
Shape unpooled_sizes(std::string_view op, const Shape& in, const Shape& kernel, const Shape& stride,
                     const Shape& padding, const std::optional<Shape>& given) {
  const std::size_t dims = kernel.size();
  Shape sizes;
  for (std::size_t d = 0; d < dims; ++d) {
    std::int64_t size = 0, pad = 0;
    if (__builtin_mul_overflow(in[in.size() - dims + d] - 1, stride[d], &size) ||
        __builtin_add_overflow(size, kernel[d], &size) ||
        __builtin_mul_overflow(padding[d], 2, &pad) || __builtin_sub_overflow(size, pad, &size))
      fail<ShapeError>("{}: the output is too large: got stride={}, kernel_size={}, padding={}", op,
                       stride, kernel, padding);
    sizes.push_back(size);
  }
  if (!given) {
    for (const std::int64_t size : sizes)
      if (size < 0) fail<ShapeError>("{}: negative output size: {}", op, sizes);
    return sizes;
  }
  if (given->size() != dims && given->size() != dims + 2)
    fail<ValueError>(
        "{}: output_size should be a sequence containing {} or {} elements, but it has a length of "
        "'{}'",
        op, dims, dims + 2, given->size());
  for (std::size_t d = 0; d < dims; ++d) {
    const std::int64_t size = (*given)[given->size() - dims + d];
    const bool fits = size >= 0 && size > sizes[d] - stride[d] && size - stride[d] < sizes[d];
    if (!fits)
      fail<ValueError>("{}: invalid output_size {} (dim {} must be between {} and {})", op, *given,
                       d, sizes[d] - stride[d], sizes[d] + stride[d]);
    sizes[d] = size;
  }
  return sizes;
}

}  // namespace

Tensor max_unpool(std::string_view op, std::size_t dims, const Tensor& x, const Tensor& indices,
                  const Shape& kernel_size, const std::optional<Shape>& given_stride,
                  const Shape& given_padding, const std::optional<Shape>& output_size) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, max_unpool, op, dims, x, indices, kernel_size,
                         given_stride, given_padding, output_size);
  check_defined(op, "input", x);
  check_defined(op, "indices", indices);
  if (indices.dtype() != DType::i64)
    fail<DTypeError>("{}: elements in indices should be type int64 but got: {}", op,
                     indices.dtype());
  if (!x.is_floating_point())
    fail<NotImplementedError>("{}: not implemented for '{}'", op, legacy_name(x.dtype()));
  pool::check_pool_input(op, x, dims);
  if (!(indices.shape() == x.shape()))
    fail<ShapeError>(
        "{}: Expected shape of indices to be same as that of the input tensor ({}) but got indices "
        "tensor with shape: {}",
        op, x.shape(), indices.shape());
  const Shape kernel = pool::for_dims(op, kernel_size, dims, "kernel_size"),
              stride = pool::for_dims(op, pool::stride_or_kernel(given_stride, kernel_size), dims,
                                      "stride"),
              padding = pool::for_dims(op, given_padding, dims, "padding");
  for (std::size_t d = 0; d < dims; ++d)
    if (stride[d] < 1)
      fail<ShapeError>("{}: strides should be greater than zero, but got stride: {}", op, stride);
  const Shape sizes = unpooled_sizes(op, x.shape(), kernel, stride, padding, output_size);
  const std::int64_t volume = sizes.numel();
  if (x.numel() > 0 && !x.device().is_meta()) {
    const auto least = indices.min().item<std::int64_t>(),
               greatest = indices.max().item<std::int64_t>();
    if (least < 0 || greatest >= volume)
      fail<IndexError>("{}: Found an invalid max index: {} (output volumes are of size {})", op,
                       least < 0 ? least : greatest, sizes);
  }
  const auto first = static_cast<std::int64_t>(x.shape().size() - dims);
  Shape flat, shape;
  for (std::int64_t d = 0; d < first; ++d) flat.push_back(x.size(d)), shape.push_back(x.size(d));
  flat.push_back(volume);
  for (const std::int64_t size : sizes) shape.push_back(size);
  return zeros(flat, {.dtype = x.dtype(), .device = x.device()})
      .scatter(-1, indices.flatten(first), x.flatten(first))
      .reshape(shape);
}

namespace {

Tensor power_mean(const Tensor& means, double norm_type, double count) {
  return (means.sign() * means.abs().relu()).mul(count).pow(1 / norm_type);
}

double count_of(std::string_view op, const Shape& kernel_size, std::size_t dims) {
  double count = 1;
  for (const std::int64_t k : pool::for_dims(op, kernel_size, dims, "kernel_size"))
    count *= static_cast<double>(k);
  return count;
}

}  // namespace

Tensor lp_pool(std::string_view op, std::size_t dims, const Tensor& x, double norm_type,
               const Shape& kernel_size, const std::optional<Shape>& stride, bool ceil_mode) {
  if (norm_type == 0)
    fail<ValueError>("{}: norm_type must be a non-zero value, but got {}", op, norm_type);
  check_defined(op, "input", x);
  const double count = count_of(op, kernel_size, dims);
  const Tensor powers = x.pow(norm_type);
  const Tensor means =
      dims == 1   ? avg_pool1d(powers, kernel_size, {.stride = stride, .ceil_mode = ceil_mode})
      : dims == 2 ? avg_pool2d(powers, kernel_size, stride, {0}, ceil_mode, true, {})
                  : avg_pool3d(powers, kernel_size, stride, {0}, ceil_mode, true, {});
  return power_mean(means, norm_type, count);
}

}  // namespace taper
