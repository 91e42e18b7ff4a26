#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Computes input / other, rounded to an integer toward 0 ("trunc") or down ("floor"). Preserves
/// integer dtypes.
struct DivMode {
  std::string rounding_mode = "trunc";
  TAPER_ATTRIBUTES(rounding_mode)
  static constexpr OpInfo op =
      called("div", pointwise("div_mode", "DivBackward2", "input other", DTypeSet::no_bool));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<DivMode>& b) const;
};

}  // namespace taper
