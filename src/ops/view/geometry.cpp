#include "ops/view/geometry.h"

#include "core/check.h"

namespace taper::view {

Shape infer_size(const Shape& shape, std::int64_t numel, std::string_view op) {
  std::optional<std::size_t> inferred_dim;
  std::int64_t known_numel = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      if (inferred_dim)
        fail<ShapeError>("{}: only one dimension can be inferred: got {}", op, shape);
      inferred_dim = d;
    } else if (shape[d] < 0) {
      fail<ShapeError>("{}: invalid shape dimension {}: got {}", op, shape[d], shape);
    } else if (__builtin_mul_overflow(known_numel, shape[d], &known_numel)) {
      fail<ShapeError>("{}: shape '{}' is invalid for input of size {}", op, shape, numel);
    }
  }
  if (inferred_dim) {
    if (known_numel == 0)
      fail<ShapeError>(
          "{}: cannot reshape tensor of {} elements into shape {} because the unspecified "
          "dimension size -1 can be any value and is ambiguous",
          op, numel, shape);
    if (numel % known_numel == 0) {
      Shape result_shape = shape;
      result_shape[*inferred_dim] = numel / known_numel;
      return result_shape;
    }
  } else if (known_numel == numel) {
    return shape;
  }
  fail<ShapeError>("{}: shape '{}' is invalid for input of size {}", op, shape, numel);
}

std::optional<Shape> compute_strides(const Shape& from, const Shape& strides, const Shape& to) {
  if (from == to) return strides;
  const std::int64_t numel = from.numel();
  if (numel == 0) return contiguous_strides(to);
  if (from.empty()) return Shape::filled(to.size(), 1);
  // Walk both shapes from the last dimension, one run of evenly strided old dimensions at a time.
  Shape result = Shape::filled(to.size(), 0);
  std::int64_t base = strides.back(), old_run = 1, new_run = 1;
  std::size_t at = to.size();
  for (std::size_t d = from.size(); d-- > 0;) {
    old_run *= from[d];
    const bool run_ends = d == 0 || (from[d - 1] != 1 && strides[d - 1] != old_run * base);
    if (!run_ends) continue;
    while (at > 0 && (new_run < old_run || to[at - 1] == 1)) {
      --at;
      result[at] = new_run * base;
      new_run *= to[at];
    }
    if (new_run != old_run) return std::nullopt;
    if (d > 0) {
      base = strides[d - 1];
      old_run = new_run = 1;
    }
  }
  if (at != 0) return std::nullopt;
  return result;
}

}  // namespace taper::view
