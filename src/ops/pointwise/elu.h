#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// The numbers both ops compute with.
struct EluSlopes {
  double below, above, within;  ///< alpha * scale, scale, input_scale
  template <class O> static EluSlopes of(const O& o) {
    const double scale = o.scale.to_double();
    return {o.alpha.to_double() * scale, scale, o.input_scale.to_double()};
  }
};

/// scale * input where that is positive, else alpha * scale * (e^(input_scale * input) - 1).
struct Elu {
  Scalar alpha = 1, scale = 1, input_scale = 1;
  TAPER_ATTRIBUTES(alpha, scale, input_scale)
  static constexpr OpInfo op = pointwise("elu", "EluBackward0", "input", in(0));
  void infer(Infer& i) const;
  void backward(BackwardContext<Elu>& b) const;
};
/// grad_output times the slope of elu at self.
struct EluBackward {
  Scalar alpha = 1, scale = 1, input_scale = 1;
  TAPER_ATTRIBUTES(alpha, scale, input_scale)
  static constexpr OpInfo op = out_of_place(
      pointwise("elu_backward", "EluBackwardBackward0", "grad_output self", in(0) | in(1)));
  void infer(Infer& i) const { i.give_pointwise(); }
  void backward(BackwardContext<EluBackward>& b) const;
};

}  // namespace taper
