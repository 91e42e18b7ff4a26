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
/// Regularized lower (P) and upper (Q) incomplete gamma function; NaN if an argument is negative.
double igamma(double a, double x);
double igammac(double a, double x);

// Error functions and the standard normal distribution.
double erfinv(double y);
/// Returns e^(x^2) erfc(x).
double erfcx(double x);
/// Distribution function, its logarithm, and its inverse.
double ndtr(double x);
double log_ndtr(double x);
double ndtri(double p);

// Orthogonal polynomials of order `n`, truncated to an integer; 0 for negative orders. Chebyshev
// polynomials are NaN after an overflow of T, and Hermite polynomials of orders above 512 (128 for
// float), as in PyTorch.
template <class T> T chebyshev_t(T x, T n);
template <class T> T chebyshev_u(T x, T n);
template <class T> T chebyshev_v(T x, T n);
template <class T> T chebyshev_w(T x, T n);
template <class T> T hermite_h(T x, T n);
template <class T> T hermite_he(T x, T n);
template <class T> T laguerre_l(T x, T n);
template <class T> T legendre_p(T x, T n);

// Bessel functions of the first and second kind, and modified Bessel functions. A trailing e scales
// by e^-|x| (I) or e^x (K).
double bessel_j0(double x);
double bessel_j1(double x);
double bessel_y0(double x);
double bessel_y1(double x);
float bessel_j0(float x);
float bessel_j1(float x);
float bessel_y0(float x);
float bessel_y1(float x);
double i0(double x);
double i0e(double x);
double i1(double x);
double i1e(double x);
/// As i0 and i1, but NaN at infinity, as in PyTorch.
inline double modified_i0(double x) { return std::isinf(x) ? kNaN : i0(x); }
inline double modified_i1(double x) { return std::isinf(x) ? kNaN : i1(x); }
double bessel_k0(double x);
double bessel_k0e(double x);
double bessel_k1(double x);
double bessel_k1e(double x);
double spherical_bessel_j0(double x);
/// Returns the Airy function Ai.
double airy_ai(double x);
float airy_ai(float x);

/// Returns sin(pi x) / (pi x). The product is rounded to T, as in PyTorch.
template <class T> T sinc(T x) {
  const T angle = static_cast<T>(3.14159265358979323846) * x;
  return x == T(0) ? T(1) : std::sin(angle) / angle;
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
