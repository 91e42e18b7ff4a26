// Regularized incomplete gamma functions of a number.
#include <numbers>

#include "ops/pointwise/special_math.h"

namespace taper::special_math {
namespace {

/// Returns log(1 + d) - d without cancellation.
double log1p_minus(double d) {
  if (std::abs(d) > 0.3) return std::log1p(d) - d;
  double sum = 0, power = -d;
  for (int k = 2; k < 60; ++k) {
    power *= -d;
    sum -= power / k;
    if (std::abs(power) < kEps * std::abs(sum)) break;
  }
  return sum;
}

/// Returns x^a e^-x / Gamma(a).
double prefactor(double a, double x) {
  if (a < 20) return std::exp(a * std::log(x) - x - lgamma(a));
  // With Stirling's series, large terms cancel in exact arithmetic.
  const double d = (x - a) / a, inverse = 1 / (a * a);
  const double correction =
      (1.0 / 12 - inverse * (1.0 / 360 - inverse * (1.0 / 1260 - inverse / 1680))) / a;
  return std::sqrt(a / (2 * std::numbers::pi)) * std::exp(a * log1p_minus(d) - correction);
}

/// Returns P(a, x) by its power series, for x up to about a.
double lower_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < 20000 && term > sum * kEps / 2; ++k) sum += term *= x / (a + k);
  return sum * prefactor(a, x);
}

/// Returns Q(a, x) by its continued fraction (modified Lentz's algorithm), for x from about a.
double upper_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (int k = 1; k < 20000; ++k) {
    const double factor = -k * (k - a);
    b += 2;
    d = factor * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + factor / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double change = d * c;
    h *= change;
    if (std::abs(change - 1) < kEps) break;
  }
  return h * prefactor(a, x);
}

/// Returns Q(a, x) for small x and a, where 1 - P(a, x) loses digits: the series of 1 - Gamma(a +
/// 1) P(a, x) / x^a.
double upper_series(double a, double x) {
  double term = 1, sum = 0;
  for (int k = 1; k < 2000; ++k) {
    term *= -x / k;
    const double change = term / (a + k);
    sum += change;
    if (std::abs(change) < kEps * std::abs(sum)) break;
  }
  const double log_x = a * std::log(x), log_gamma = lgamma(a + 1);
  return -std::expm1(log_x - log_gamma) - a * std::exp(log_x - log_gamma) * sum;
}

/// Returns P or Q for large a by the leading terms of Temme's uniform expansion.
double large_order(double a, double x, bool upper) {
  const double d = (x - a) / a, phase = -log1p_minus(d);
  const double eta = std::copysign(std::sqrt(2 * phase), d);
  const double c0 = std::abs(d) < 1e-3 ? -1.0 / 3 + eta / 12 : 1 / d - 1 / eta;
  const double rest = c0 * std::exp(-a * phase) / std::sqrt(2 * std::numbers::pi * a);
  const double sign = upper ? 1 : -1;
  return std::erfc(sign * eta * std::sqrt(a / 2)) / 2 + sign * rest;
}

double incomplete_gamma(double a, double x, bool upper) {
  if (a < 0 || x < 0) return kNaN;
  if (a == 0) return x > 0 ? (upper ? 0 : 1) : kNaN;
  if (x == 0) return upper ? 1 : 0;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : upper ? 1 : 0;
  if (std::isinf(x)) return upper ? 0 : 1;
  if (a > 1e6) return large_order(a, x, upper);
  if (x < 1.1 && upper) {
    if (x < 0.5 ? -0.4 / std::log(x) < a : a > x / 1.1) return 1 - lower_series(a, x);
    return upper_series(a, x);
  }
  if (x <= 1 || x <= a) {
    const double p = lower_series(a, x);
    return upper ? 1 - p : p;
  }
  const double q = upper_fraction(a, x);
  return upper ? q : 1 - q;
}

}  // namespace

double igamma(double a, double x) { return incomplete_gamma(a, x, false); }
double igammac(double a, double x) { return incomplete_gamma(a, x, true); }

}  // namespace taper::special_math
