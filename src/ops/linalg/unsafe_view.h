#pragma once
#include "ops/op.h"

namespace taper {

/// View of a temporary that is not referenced elsewhere. Autograd does not treat the output as a
/// view.
struct UnsafeView {
  Shape size{};
  TAPER_ATTRIBUTES(size)
  static constexpr OpInfo op{.name = "_unsafe_view",
                             .node = "UnsafeViewBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .view = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<UnsafeView>& b) const;
};

Tensor unsafe_view(const Tensor& fresh, const Shape& shape);

}  // namespace taper
