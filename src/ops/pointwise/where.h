#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// input where condition holds, else other.
struct Where {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op =
      out_of_place(pointwise("where", "WhereBackward0", "condition input other", in(0)));
  void infer(Infer& i) const;
  void backward(BackwardContext<Where>& b) const;
};

}  // namespace taper
