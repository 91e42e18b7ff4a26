// Checked windows of pooling over one or three dimensions.
#pragma once
#include <string_view>

#include "core/check.h"
#include "taper/core/tensor.h"

namespace taper::pool {

/// Returns one entry of `list` per dimension. Throws ShapeError unless it has one or `dims`.
Shape for_dims(std::string_view op, const Shape& list, std::size_t dims, std::string_view name);

/// Throws ShapeError unless the input has `dims` dimensions after its channels, with or without a
/// batch, and only the batch is empty.
void check_pool_input(std::string_view op, const Tensor& x, std::size_t dims);

/// Windows of all dimensions of a pooling; every list has one entry per dimension.
struct Windows {
  Shape kernel, stride, padding, dilation, in, out;
  bool ceil_mode = false;

  /// Checks the input and the arguments and computes the output sizes. Throws ShapeError with
  /// PyTorch's messages.
  Windows(std::string_view op, const Tensor& x, std::size_t dims, const Shape& kernel_size,
          const std::optional<Shape>& given_stride, const Shape& given_padding,
          const Shape& given_dilation, bool ceil);
};

/// Returns f(x with a batch), without the batch if `x` has `dims` + 1 dimensions.
template <class F> auto with_batch(const Tensor& x, std::size_t dims, F&& f) {
  if (x.shape().size() == dims + 2) return f(x);
  auto result = f(x.unsqueeze(0));
  if constexpr (requires { result.first; })
    return std::pair(result.first.squeeze({0}), result.second.squeeze({0}));
  else
    return result.squeeze({0});
}

}  // namespace taper::pool
