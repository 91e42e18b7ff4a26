// Scaled and inverse error functions and the normal distribution of a number.
#include <cmath>
#include <cstddef>
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

namespace {

/// Returns the polynomial with the coefficients from the constant one on, by Horner's method.
template <std::size_t N> double polynomial(const double (&coefficients)[N], double x) {
  double sum = 0;
  for (std::size_t i = N; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

}  // namespace

// M. J. Wichura, Algorithm AS 241: The percentage points of the normal distribution, Applied
// Statistics 37 (1988), routine PPND16: rational approximations with relative errors of about 1e-16
// on the center and on two parts of the tails.
double ndtri(double p) {
  static constexpr double kCenter[2][8] = {
      {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
       1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
       3.3430575583588128105e4, 2.5090809287301226727e3},
      {1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
       2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
       5.2264952788528545610e3}};
  static constexpr double kTail[2][8] = {
      {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
       3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
       2.27238449892691845833e-2, 7.74545014278341407640e-4},
      {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
       1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
       1.05075007164441684324e-9}};
  static constexpr double kFarTail[2][8] = {
      {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
       2.71155556874348757815e-5, 2.01033439929228813265e-7},
      {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
       7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
       2.04426310338993978564e-15}};
  const auto quotient = [](const double(&c)[2][8], double x) {
    return polynomial(c[0], x) / polynomial(c[1], x);
  };
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInf : kInf;
  const double centered = p - 0.5;
  if (std::abs(centered) <= 0.425)
    return centered * quotient(kCenter, 0.180625 - centered * centered);
  const double distance = std::sqrt(-std::log(p < 0.5 ? p : 1 - p));
  const double x =
      distance <= 5 ? quotient(kTail, distance - 1.6) : quotient(kFarTail, distance - 5);
  return p < 0.5 ? -x : x;
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
