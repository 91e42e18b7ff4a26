#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// input / other; integers are divided in floating point.
struct Div : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("div", "DivBackward0", "input other", in(0) | in(1), Promote::floating);
  void backward(BackwardContext<Div>& b) const;
};

/// input / other rounded to an integer, towards 0 ("trunc") or down ("floor"); keeps integers.
struct DivMode {
  std::string rounding_mode = "trunc";
  TAPER_ATTRIBUTES(rounding_mode)
  static constexpr OpInfo op = pointwise("div_mode", "DivBackward2", "input other");
  void infer(Infer& i) const;
  void backward(BackwardContext<DivMode>& b) const;
};

}  // namespace taper
