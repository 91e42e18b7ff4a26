#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// 0 where |input| <= lambd; elsewhere input, softly: brought lambd nearer to 0.
template <bool Soft> struct Shrink {
  Scalar lambd = 0.5;
  TAPER_ATTRIBUTES(lambd)
  static constexpr OpInfo op =
      pointwise(Soft ? "softshrink" : "hardshrink",
                Soft ? "SoftshrinkBackward0" : "HardshrinkBackward0", "input", in(0));
  void infer(Infer& i) const;
  void backward(BackwardContext<Shrink>& b) const;
};
/// grad_output where |self| > lambd, else 0.
template <bool Soft> struct ShrinkBackward {
  Scalar lambd = 0.5;
  TAPER_ATTRIBUTES(lambd)
  static constexpr OpInfo op =
      out_of_place(pointwise(Soft ? "softshrink_backward" : "hardshrink_backward",
                             Soft ? "SoftshrinkBackwardBackward0" : "HardshrinkBackwardBackward0",
                             "grad_output self", in(1)));
  void infer(Infer& i) const { i.give_pointwise(); }
  void backward(BackwardContext<ShrinkBackward>& b) const;
};

}  // namespace taper
