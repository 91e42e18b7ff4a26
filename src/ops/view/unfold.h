#pragma once
#include "ops/op.h"
#include "ops/view/view_info.h"

namespace taper {

/// View of all slices of `size` elements along `dimension`, `step` apart. The elements of a slice
/// are the last dimension.
struct Unfold {
  std::int64_t dimension = 0, size = 1, step = 1;
  TAPER_ATTRIBUTES(dimension, size, step)
  static constexpr OpInfo op = view::view_info("unfold", "UnfoldBackward0");
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Unfold>& b) const;
};

}  // namespace taper
