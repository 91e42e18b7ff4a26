#pragma once
#include "ops/op.h"
#include "taper/core/tensor.h"

namespace taper {

/// Copy with the order of the elements along `dims` reversed.
struct Flip {
  Shape dims{};
  TAPER_ATTRIBUTES(dims)
  static constexpr OpInfo op{.name = "flip",
                             .node = "FlipBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Flip>& b) const { b[0] = b.grad().flip(dims); }
};

}  // namespace taper
