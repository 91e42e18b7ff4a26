// Gamma functions and the Hurwitz zeta function of a number.
#include <math.h>  // lgamma_r

#include <limits>
#include <numbers>

#include "ops/pointwise/special_math.h"

namespace taper::special_math {
namespace {

/// Evaluates the asymptotic series of digamma for x >= 10.
double digamma_series(double x) {
  // Bernoulli numbers B(2k) / (2k).
  constexpr double terms[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                              1.0 / 132, -691.0 / 32760, 1.0 / 12};
  double sum = 0, power = 1;
  for (const double t : terms) sum += t * (power /= x * x);
  return std::log(x) - 0.5 / x - sum;
}

/// Sums (q + k)^-s over k >= 0 for q > 0, by the Euler-Maclaurin formula.
double zeta_positive(double s, double q) {
  // (2k)! / B(2k) for k = 1, 2, ...
  constexpr double factors[] = {12.0,
                                -720.0,
                                30240.0,
                                -1209600.0,
                                47900160.0,
                                -1.8924375803183791606e9,
                                7.47242496e10,
                                -2.950130727918164224e12,
                                1.1646782814350067249e14,
                                -4.5979787224074726105e15,
                                1.8152105401943546773e17,
                                -7.1661652561756670113e18};
  double sum = std::pow(q, -s), a = q, term = 0;
  if (sum == 0) return 0;
  for (int i = 0; i < 9 || a <= 9; ++i) {
    a += 1;
    term = std::pow(a, -s);
    sum += term;
    if (std::abs(term / sum) < kEps / 2) return sum;
  }
  sum += term * a / (s - 1) - 0.5 * term;
  double product = 1, k = 0;
  for (const double factor : factors) {
    product *= s + k;
    term /= a;
    const double t = product * term / factor;
    sum += t;
    if (std::abs(t / sum) < kEps / 2) return sum;
    product *= s + k + 1;
    term /= a;
    k += 2;
  }
  return sum;
}

}  // namespace

double lgamma(double x) {
  int sign = 0;  // std::lgamma writes the sign to a global variable
  return ::lgamma_r(x, &sign);
}

double digamma(double x) {
  if (x == 0) return std::copysign(kInf, -x);
  double sum = 0;
  if (x < 0) {
    if (x == std::floor(x)) return kNaN;
    double whole;
    sum = -std::numbers::pi / std::tan(std::numbers::pi * std::modf(x, &whole));
    x = 1 - x;
  }
  for (; x < 10; x += 1) sum -= 1 / x;
  return sum + digamma_series(x);
}

double zeta(double s, double q) {
  if (s == 1) return kInf;
  if (s < 1 || std::isnan(q)) return kNaN;
  if (q > 0) return zeta_positive(s, q);
  if (q == std::floor(q)) return kInf;
  if (s != std::floor(s)) return kNaN;
  // The sum over all integers k of (q + k)^-s depends only on the fraction of q. Adding the terms
  // of a negative q one by one would take |q| steps.
  const double fraction = q - std::floor(q), sign = std::fmod(s, 2) == 0 ? 1 : -1;
  if (q > -16) {
    double sum = 0;
    for (; q < 0; q += 1) sum += std::pow(q, -s);
    // The term of the least positive q may be the opposite of the previous one.
    sum += std::pow(q, -s);
    return sum + zeta_positive(s, q + 1);
  }
  return zeta_positive(s, fraction) +
         sign * (zeta_positive(s, 1 - fraction) - zeta_positive(s, 1 - q));
}

namespace {
/// Returns the trigamma function of x >= 0.5 by recurrence and the terms of the asymptotic series
/// that PyTorch sums, so that gradients of digamma agree; the relative error is below 3e-9.
double trigamma_positive(double x) {
  double sum = 0;
  for (int i = 0; i < 6; ++i, x += 1) sum += 1 / (x * x);
  const double z = 1 / (x * x);
  return sum + (1 + 1 / (2 * x) + z * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42)))) / x;
}
}  // namespace

double polygamma(std::int64_t n, double x) {
  if (n == 0) return digamma(x);
  const double order = static_cast<double>(n), sign = n % 2 ? 1 : -1;
  if (n == 1 && std::isinf(x)) return x > 0 ? 0 : kNaN;
  if (n == 1 && x < 0.5) {
    // Reflection, which also covers large negative arguments. The distance from the nearest integer
    // is exact, also of tiny negative arguments.
    const double s = std::sin(std::numbers::pi * (x - std::nearbyint(x)));
    if (s == 0) return kInf;
    return std::numbers::pi * std::numbers::pi / (s * s) - trigamma_positive(1 - x);
  }
  if (n == 1) return trigamma_positive(x);
  return sign * std::exp(lgamma(order + 1)) * zeta(order + 1, x);
}

}  // namespace taper::special_math
