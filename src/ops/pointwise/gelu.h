// Gaussian error linear unit and its gradient.
#pragma once
#include <string>

#include "ops/pointwise/pointwise.h"

namespace taper {

/// Computes x Phi(x) for the standard normal distribution, or with `approximate` = "tanh",
/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
struct Gelu {
  std::string approximate = "none";
  TAPER_ATTRIBUTES(approximate)
  static void dtype_error(const ShapeInference& i) {
    i.fail<DTypeError>("expected a floating-point tensor, got {}", i.common);
  }
  static constexpr OpInfo op = with_dtype_error(
      pointwise("gelu", "GeluBackward0", "input", DTypeSet::floating, in(0)), dtype_error);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Gelu>& b) const;
};

/// Computes grad_output times the derivative of gelu at self.
struct GeluBackward {
  std::string approximate = "none";
  TAPER_ATTRIBUTES(approximate)
  static constexpr OpInfo op =
      out_of_place(pointwise("gelu_backward", "GeluBackwardBackward0", "grad_output self",
                             DTypeSet::floating, in(0) | in(1)));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<GeluBackward>& b) const;
};

/// Factors of the approximation by tanh, which equals x sigmoid(v) with
/// v = kTanhGeluSlope (x + kTanhGeluCubic x^3).
inline constexpr double kTanhGeluSlope = 1.5957691216057307117597842397375;  // 2 sqrt(2 / pi)
inline constexpr double kTanhGeluCubic = 0.044715;

}  // namespace taper
