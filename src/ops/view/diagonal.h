#pragma once
#include "ops/op.h"
#include "ops/view/view_info.h"

namespace taper {

/// View of a diagonal of the matrices in dimensions dim1 and dim2.
struct Diagonal {
  std::int64_t offset = 0, dim1 = 0, dim2 = 1;
  TAPER_ATTRIBUTES(offset, dim1, dim2)
  static constexpr OpInfo op = view::view_info("diagonal", "DiagonalBackward0");
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Diagonal>& b) const;
};

}  // namespace taper
