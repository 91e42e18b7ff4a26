// Shapes and value ranges of images (..., C, H, W).
#pragma once
#include <string_view>

#include "core/check.h"
#include "taper/core/tensor.h"

namespace taper::data::transforms {

/// Throws ShapeError unless the image has at least three dimensions.
void check_image(std::string_view op, const Tensor& image);

inline std::int64_t channels_of(const Tensor& image) { return image.size(-3); }
inline std::int64_t height_of(const Tensor& image) { return image.size(-2); }
inline std::int64_t width_of(const Tensor& image) { return image.size(-1); }

/// Returns the image with all leading dimensions combined: (N, C, H, W).
Tensor to_batch(const Tensor& image);
/// Restores the leading dimensions of `image` in `batch`, whose other sizes may differ.
Tensor from_batch(const Tensor& batch, const Tensor& image);

/// Returns the value that represents 1: 1 for floating-point types, otherwise the maximum of the
/// dtype.
double max_value(DType dtype);
/// Returns the number of bits of an integer type, without the sign. Throws DTypeError for bool.
int num_value_bits(DType dtype);

/// Part of a range of elements that is inside of a dimension: its first element, their number, and
/// the number of elements before the dimension.
struct ClippedRange {
  std::int64_t first, count, num_before;
};
/// Clips [begin, begin + count) to [0, size). `count` must not be negative.
ClippedRange clip_range(std::int64_t begin, std::int64_t count, std::int64_t size);

/// Return `value` rounded toward 0, or to the nearest integer with ties to even. Throw ValueError
/// unless it is finite and in the range of integers.
std::int64_t truncate_to_integer(double value);
std::int64_t round_to_integer(double value);

/// Returns (h, w) of a size that is one number or two. Throws ValueError for another number.
Shape to_size(std::string_view op, const Shape& size);

}  // namespace taper::data::transforms
