// Special functions of a number, for reference and CPU kernels.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace taper::special_math {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kEps = std::numeric_limits<double>::epsilon();

// Gamma functions.
double lgamma(double x);
/// Returns the derivative of log Gamma: -infinity at 0, infinity at -0, NaN for negative integers.
double digamma(double x);
/// Returns derivative n >= 0 of the digamma function.
double polygamma(std::int64_t n, double x);
/// Returns the Hurwitz zeta function, the sum of (q + k)^-s over k >= 0: NaN for s < 1, and
/// infinity for s = 1 and if q is 0 or a negative integer.
double zeta(double s, double q);

// Error functions and the standard normal distribution.
double erfinv(double y);
/// Returns e^(x^2) erfc(x).
double erfcx(double x);
/// Distribution function, its logarithm, and its inverse.
double ndtr(double x);
double log_ndtr(double x);
double ndtri(double p);

/// Returns sin(pi x) / (pi x).
inline double sinc(double x) {
  const double angle = 3.14159265358979323846 * x;
  return x == 0 ? 1 : std::sin(angle) / angle;
}

// Logarithms of sums and products.
template <class T> T logaddexp(T a, T b) {
  if (std::isinf(a) && a == b) return a;
  const T difference = std::abs(a - b);
  return (a != a || a > b ? a : b) + std::log1p(std::exp(-difference));
}
template <class T> T logaddexp2(T a, T b) {
  constexpr T inv_ln2 = static_cast<T>(1.4426950408889634);
  if (std::isinf(a) && a == b) return a;
  const T difference = std::abs(a - b);
  return (a != a || a > b ? a : b) + std::log1p(std::exp2(-difference)) * inv_ln2;
}
template <class T> T xlogy(T a, T b) {
  if (b != b) return b;
  return a == T(0) ? T(0) : a * std::log(b);
}

template <class T> T xlog1py(T a, T b) {
  if (b != b) return b;
  return a == T(0) ? T(0) : a * std::log1p(b);
}
/// Returns -x log(x), 0 at 0, and -infinity for negative x.
template <class T> T entr(T x) {
  if (x != x || x > 0) return -x * std::log(x);
  return x == T(0) ? T(0) : static_cast<T>(-kInf);
}

}  // namespace taper::special_math
