#pragma once
#include "ops/op.h"

namespace taper {

/// The sums of the first 1, 2, ... elements along `dim`; in reverse, of the last n, n - 1, ...,
/// which is the gradient of the former.
struct CumSum {
  std::int64_t dim = 0;
  std::optional<DType> dtype{};
  bool reverse = false;
  TAPER_ATTRIBUTES(dim, dtype, reverse)
  static constexpr OpInfo op{
      .name = "cumsum", .node = "CumsumBackward0", .inputs = "input", .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<CumSum>& b) const {
    b[0] = run(CumSum{dim, {}, !reverse}, b.grad());
  }
};

}  // namespace taper
