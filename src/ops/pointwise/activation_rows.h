// Ops declared in activation_rows.inc.
#pragma once
#include "ops/pointwise/rows.h"

namespace taper {

inline double silu_gradient(double g, double x) {
  const double s = 1 / (1 + std::exp(-x));
  return g * (s * (1 + x * (1 - s)));
}
inline double mish_gradient(double g, double x) {
  const double s = 1 / (1 + std::exp(-x)), t = std::tanh(std::log1p(std::exp(x)));
  return g * (t + x * s * (1 - t * t));
}

#define UNARY TAPER_DECLARE_UNARY
#define BINARY TAPER_DECLARE_BINARY
#include "ops/pointwise/activation_rows.inc"

}  // namespace taper
