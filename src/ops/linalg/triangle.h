#pragma once
#include "ops/op.h"

namespace taper {

/// triu and tril: a matrix with zeros on one side of a diagonal.
template <bool Upper> struct Triangle {
  std::int64_t diagonal = 0;
  TAPER_ATTRIBUTES(diagonal)
  static constexpr OpInfo op{.name = Upper ? "triu" : "tril",
                             .node = Upper ? "TriuBackward0" : "TrilBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::all,
                             .inplace = true,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const {
    if (i.rank(0) < 2)
      i.fail("input tensor must have at least 2 dimensions: got shape {}", i.shape(0));
    i.set_output(i.shape(0), i.dtype(0));
  }
  void backward(BackwardContext<Triangle>& b) const {
    b[0] = Upper ? b.grad().triu(diagonal) : b.grad().tril(diagonal);
  }
};
using Triu = Triangle<true>;
using Tril = Triangle<false>;

}  // namespace taper
