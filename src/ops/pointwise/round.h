#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Ops that give whole numbers: integers pass unchanged, the gradient is 0.
struct Rounding : PointwiseOp {
  void infer(Infer& i) const {
    check_dtype(i, i.common != DType::bool_, "numbers");
    i.give_pointwise();
  }
  void backward(BackwardContextBase& b) const { b[0] = no_influence(b, 0); }
};

struct Floor : Rounding {
  static constexpr OpInfo op = pointwise("floor", "FloorBackward0", "input");
};
struct Ceil : Rounding {
  static constexpr OpInfo op = pointwise("ceil", "CeilBackward0", "input");
};
/// To the nearest, of two equally near ones to the even one.
struct Round : Rounding {
  static constexpr OpInfo op = pointwise("round", "RoundBackward0", "input");
};
struct Trunc : Rounding {
  static constexpr OpInfo op = pointwise("trunc", "TruncBackward0", "input");
};

}  // namespace taper
