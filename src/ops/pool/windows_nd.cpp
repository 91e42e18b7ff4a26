#include "ops/pool/windows_nd.h"

#include "ops/check_defined.h"
#include "ops/pool/window.h"

namespace taper::pool {

Shape for_dims(std::string_view op, const Shape& list, std::size_t dims, std::string_view name) {
  if (list.size() != 1 && list.size() != dims)
    fail<ShapeError>("{}: {} must either be a single int, or a tuple of {} ints: got {}", op, name,
                     dims, list);
  return list.size() == dims ? list : Shape::filled(dims, list[0]);
}

void check_pool_input(std::string_view op, const Tensor& x, std::size_t dims) {
  check_defined(op, "input", x);
  const Shape& shape = x.shape();
  if (shape.size() != dims + 1 && shape.size() != dims + 2)
    fail<ShapeError>("{}: Expected {}D or {}D (batch mode) tensor for input, but got: {}", op,
                     dims + 1, dims + 2, shape);
  for (std::size_t d = shape.size() == dims + 2; d < shape.size(); ++d)
    if (shape[d] == 0)
      fail<ShapeError>(
          "{}: Expected input to have non-zero size for non-batch dimensions, but input has sizes "
          "{} with dimension {} being empty",
          op, shape, d);
}

Windows::Windows(std::string_view op, const Tensor& x, std::size_t dims, const Shape& kernel_size,
                 const std::optional<Shape>& given_stride, const Shape& given_padding,
                 const Shape& given_dilation, bool ceil)
    : kernel(for_dims(op, kernel_size, dims, "kernel_size")),
      stride(for_dims(op, stride_or_kernel(given_stride, kernel_size), dims, "stride")),
      padding(for_dims(op, given_padding, dims, "padding")),
      dilation(for_dims(op, given_dilation, dims, "dilation")),
      ceil_mode(ceil) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  for (std::size_t d = 0; d < dims; ++d) {
    if (kernel[d] < 1)
      fail<ShapeError>("{}: kernel size should be greater than zero, but got {}", op, kernel);
    if (stride[d] == 0) fail<ShapeError>("{}: stride should not be zero: got {}", op, stride);
    if (stride[d] < 1)
      fail<ShapeError>("{}: stride should be greater than zero, but got {}", op, stride);
    if (dilation[d] < 1)
      fail<ShapeError>("{}: dilation should be greater than zero, but got {}", op, dilation);
    if (kernel[d] > kLimit || stride[d] > kLimit || dilation[d] > kLimit)
      fail<ShapeError>("{}: window too large: got kernel_size={}, stride={}, dilation={}", op,
                       kernel, stride, dilation);
    if (padding[d] < 0)
      fail<ShapeError>("{}: pad must be non-negative, but got pad: {}", op, padding[d]);
    if (padding[d] > ((kernel[d] - 1) * dilation[d] + 1) / 2)
      fail<ShapeError>(
          "{}: pad should be at most half of effective kernel size, but got pad={}, kernel_size={} "
          "and dilation={}",
          op, padding[d], kernel[d], dilation[d]);
  }
  check_pool_input(op, x, dims);
  bool too_small = false;
  for (std::size_t d = 0; d < dims; ++d) {
    in.push_back(x.shape()[x.shape().size() - dims + d]);
    out.push_back(
        pooling_output_size(in[d], kernel[d], stride[d], padding[d], dilation[d], ceil_mode));
    too_small |= out[d] < 1;
  }
  if (too_small)
    fail<ShapeError>(
        "{}: Given input size: {}. Calculated output size: {}. Output size is too small", op, in,
        out);
}

}  // namespace taper::pool
