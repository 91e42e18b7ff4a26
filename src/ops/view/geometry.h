// Shapes and strides of views.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/shape.h"

namespace taper::view {

/// Returns `shape` with -1 replaced by the size for which it has `numel` elements. Throws
/// ShapeError naming `op` if such a size does not exist.
Shape infer_size(const Shape& shape, std::int64_t numel, std::string_view op);
/// Returns the strides of a view of shape `to` with the same elements in the same row-major order
/// as a view of shape `from` and the given strides; std::nullopt if such strides do not exist.
std::optional<Shape> compute_strides(const Shape& from, const Shape& strides, const Shape& to);

}  // namespace taper::view
