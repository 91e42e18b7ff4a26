#pragma once
#include "ops/op.h"

namespace taper {

/// diagonal: a diagonal of the matrices in two dimensions.
struct Diagonal {
  std::int64_t offset = 0, dim1 = 0, dim2 = 1;
  TAPER_ATTRIBUTES(offset, dim1, dim2)
  static constexpr OpInfo op{.name = "diagonal",
                             .node = "DiagonalBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .view = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Diagonal>& b) const;
};

}  // namespace taper
