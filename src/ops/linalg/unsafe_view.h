#pragma once
#include "ops/op.h"

namespace taper {

/// Another shape for a result that nobody else holds: no view of anything for autograd.
struct UnsafeView {
  Shape size{};
  TAPER_ATTRIBUTES(size)
  static constexpr OpInfo op{
      .name = "_unsafe_view", .node = "UnsafeViewBackward0", .inputs = "input", .view = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<UnsafeView>& b) const;
};

Tensor unsafe_view(const Tensor& fresh, const Shape& shape);

}  // namespace taper
