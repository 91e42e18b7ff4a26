// Shapes and strides of views.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/shape.h"

namespace taper::view {

/// `shape` with its -1 replaced so that it holds `numel` elements. Throws ShapeError naming `op`.
Shape infer_size(const Shape& shape, std::int64_t numel, std::string_view op);
/// Strides that show the same elements in row-major order as `to`; none if there are none.
std::optional<Shape> strides_for(const Shape& from, const Shape& strides, const Shape& to);

}  // namespace taper::view
