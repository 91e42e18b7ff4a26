#include "core/strides.h"

#include <algorithm>

#include "core/check.h"
#include "core/strided.h"

namespace taper {
namespace {

/// Returns the dimensions from the innermost to the outermost one: the channels are dimension 1.
Shape channels_innermost(std::size_t rank) {
  Shape order{1};
  for (std::size_t d = rank; d-- > 2;) order.push_back(static_cast<std::int64_t>(d));
  order.push_back(0);
  return order;
}

/// Returns the dimensions in ascending order of the strides. Dimensions whose order cannot be told,
/// because one has stride 0, remain in row-major order, as in PyTorch.
Shape ascending_strides(const Shape& sizes, const Shape& strides) {
  Shape order;
  for (std::size_t d = sizes.size(); d-- > 0;) order.push_back(static_cast<std::int64_t>(d));
  const auto compare = [&](std::int64_t left, std::int64_t right) {
    const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
    if (strides[a] == 0 || strides[b] == 0) return 0;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    return sizes[a] > sizes[b] ? 1 : 0;
  };
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t moved = i;
    for (std::size_t before = i; before-- > 0;) {
      const int result = compare(order[before], order[moved]);
      if (result > 0)
        std::swap(order[before], order[moved]), moved = before;
      else if (result < 0)
        break;
    }
  }
  return order;
}

std::size_t rank_of(MemoryFormat format) { return format == MemoryFormat::channels_last ? 4 : 5; }

bool is_channels_format(MemoryFormat format) {
  return format == MemoryFormat::channels_last || format == MemoryFormat::channels_last_3d;
}

Shape order_of(const Shape& sizes, const Shape& like, MemoryFormat format) {
  if (format == MemoryFormat::preserve) return ascending_strides(sizes, like);
  if (sizes.size() != rank_of(format))
    fail<RuntimeError>(
        "required rank {} tensor to use {} format", rank_of(format),
        format == MemoryFormat::channels_last ? "channels_last" : "channels_last_3d");
  return channels_innermost(sizes.size());
}

}  // namespace

Shape strides_in_format(const Shape& sizes, const Shape& like, MemoryFormat format) {
  if (format == MemoryFormat::contiguous) return contiguous_strides(sizes);
  const Shape order = order_of(sizes, like, format);
  Shape strides = sizes;
  std::int64_t step = 1;
  for (const std::int64_t d : order) {
    const auto at = static_cast<std::size_t>(d);
    strides[at] = step;
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(sizes[at], 1), &step))
      fail<ShapeError>("strides: the number of elements of {} exceeds 2^63 - 1", sizes);
  }
  return strides;
}

bool has_strides_of_format(const Shape& sizes, const Shape& strides, MemoryFormat format) {
  if (!is_channels_format(format)) return is_contiguous(sizes, strides);
  if (sizes.size() != rank_of(format)) return false;
  std::int64_t step = 1;
  for (const std::int64_t d : channels_innermost(sizes.size())) {
    const auto at = static_cast<std::size_t>(d);
    if (sizes[at] == 1) continue;
    if (strides[at] != step) return false;
    step *= sizes[at];
  }
  return true;
}

bool suggests_channels_last_strides(const Shape& sizes, const Shape& strides) {
  if ((sizes.size() != 4 && sizes.size() != 5) || strides[1] == 0) return false;
  std::int64_t min = 0;
  for (const std::int64_t d : channels_innermost(sizes.size())) {
    const auto at = static_cast<std::size_t>(d);
    if (sizes[at] == 0 || strides[at] < min) return false;
    // A tensor (N, 1, ..., 1) is row-major in either order.
    if (d == 0 && min == strides[1]) return false;
    min = strides[at];
    if (sizes[at] > 1) min *= sizes[at];
  }
  return true;
}

}  // namespace taper
