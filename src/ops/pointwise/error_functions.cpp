// Scaled and inverse error functions and the normal distribution of a number.
#include <numbers>

#include "ops/pointwise/special_math.h"

namespace taper::special_math {

double erfcx(double x) {
  if (std::isnan(x)) return x;
  if (x > 10) {
    // Continued fraction of erfc, evaluated from the inside.
    double rest = x;
    for (int k = 40; k > 0; --k) rest = x + 0.5 * k / rest;
    return std::numbers::inv_sqrtpi / rest;
  }
  if (x < -27) return kInf;
  const double square = x * x;  // with its rounding error, which exp would magnify
  return std::exp(square) * std::exp(std::fma(x, x, -square)) * std::erfc(x);
}

double ndtr(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

double log_ndtr(double x) {
  const double t = x / std::numbers::sqrt2;
  if (x < -1) return std::log(erfcx(-t) / 2) - t * t;
  return std::log1p(-std::erfc(t) / 2);
}

double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInf : kInf;
  if (p > 0.25 && p < 0.75) return std::numbers::sqrt2 * erfinv(2 * p - 1);
  // Steps for log(erfc), whose slope does not vanish for small probabilities.
  const double rest = p < 0.5 ? p : 1 - p, target = std::log(2 * rest);
  const double z = std::sqrt(-std::log(rest));
  double x = z;  // the solution of erfc(x) = 2 rest is at most sqrt(-log(rest))
  for (int i = 0; i < 50; ++i) {
    const double scaled = erfcx(x), value = std::log(scaled) - x * x;
    const double change = (value - target) * scaled / (2 * std::numbers::inv_sqrtpi);
    x += change;
    if (std::abs(change) <= 1e-16 * x) break;
  }
  return (p < 0.5 ? -1 : 1) * std::numbers::sqrt2 * x;
}

double erfinv(double y) {
  const double magnitude = std::abs(y);
  if (!(magnitude <= 1)) return kNaN;
  if (magnitude == 1) return std::copysign(kInf, y);
  constexpr double slope = 2 * std::numbers::inv_sqrtpi;
  if (magnitude <= 0.7) {
    // A rational approximation, improved by two Newton steps.
    const double z = y * y;
    const double p = ((-0.140543331 * z + 0.914624893) * z - 1.645349621) * z + 0.886226899;
    const double q =
        (((0.012229801 * z - 0.329097515) * z + 1.442710462) * z - 2.118377725) * z + 1;
    double x = y * p / q;
    for (int i = 0; i < 2; ++i) x -= (std::erf(x) - y) / (slope * std::exp(-x * x));
    return x;
  }
  // 1 - |y| is exact, so that steps with erfc preserve the digits of results near 1.
  const double rest = 1 - magnitude, z = std::sqrt(-std::log(rest / 2));
  const double p = ((1.641345311 * z + 3.429567803) * z - 1.624906493) * z - 1.970840454;
  const double q = (1.637067800 * z + 3.543889200) * z + 1;
  double x = p / q;
  for (int i = 0; i < 3; ++i) x += (std::erfc(x) - rest) / (slope * std::exp(-x * x));
  return std::copysign(x, y);
}

}  // namespace taper::special_math
