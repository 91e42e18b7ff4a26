#pragma once
#include "ops/op.h"
#include "ops/view/view_info.h"

namespace taper {

/// View of a temporary that is not referenced elsewhere. Autograd does not treat the output as a
/// view.
struct UnsafeView {
  Shape size{};
  TAPER_ATTRIBUTES(size)
  static constexpr OpInfo op = view::view_info("_unsafe_view", "UnsafeViewBackward0");
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<UnsafeView>& b) const;
};

/// Returns `fresh`, a temporary, with another shape and the same elements. Throws ShapeError if the
/// strides cannot represent the shape.
Tensor unsafe_view(const Tensor& fresh, const Shape& shape);

}  // namespace taper
