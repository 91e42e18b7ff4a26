// Bessel and Airy functions of a number.
#include "ops/pointwise/special_math.h"

#include <math.h>  // j0, j1, y0, y1

#include <limits>
#include <numbers>

namespace taper::special_math {
namespace {

constexpr double kAsymptotic =
    30;  ///< asymptotic series of I are exact to the last digits from here

/// Returns e^-x I(order, x) for x >= 0 and order 0 or 1.
double scaled_i(int order, double x) {
  if (x <= kAsymptotic) {
    // Sums (x / 2)^(2k + order) / (k! (k + order)!), whose terms are positive.
    const double square = x * x / 4;
    double term = order == 0 ? 1 : x / 2, sum = term;
    for (int k = 1; term > sum * kEps / 4; ++k) sum += term *= square / (k * (k + order));
    return sum * std::exp(-x);
  }
  if (std::isinf(x)) return 0;
  // 1 - (m - 1) / (8 x) + (m - 1) (m - 9) / (2! (8 x)^2) - ... with m = 4 order^2.
  const double m = 4.0 * order * order;
  double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2 * k - 1, next = term * (odd * odd - m) / (8 * x * k);
    if (std::abs(next) >= std::abs(term)) break;  // the series diverges
    sum += term = next;
    if (std::abs(term) < kEps / 4) break;
  }
  return sum * std::numbers::inv_sqrtpi / std::numbers::sqrt2 / std::sqrt(x);
}

/// Returns e^x K(order, x) for x >= 2 and any order in [-1/2, 1/2], and that of order + 1, by
/// Steed's algorithm for the continued fraction of Temme.
struct KPair {
  double first, second;
};
KPair scaled_k(double order, double x) {
  if (x > 1e300) {  // 2 x may overflow
    const double limit = std::sqrt(std::numbers::pi / 2) / std::sqrt(x);
    return {limit, limit};
  }
  double b = 2 * (1 + x), d = 1 / b, h = d, delta = d;
  double q1 = 0, q2 = 1;
  const double a1 = 0.25 - order * order;
  double q = a1, c = a1, a = -a1, s = 1 + q * delta;
  for (int i = 2; i < 500; ++i) {
    a -= 2 * (i - 1);
    c = -a * c / i;
    const double next = (q1 - b * q2) / a;
    q1 = q2;
    q2 = next;
    q += c * next;
    b += 2;
    d = 1 / (b + a * d);
    delta = (b * d - 1) * delta;
    h += delta;
    const double change = q * delta;
    s += change;
    if (std::abs(change / s) < kEps / 4) break;
  }
  h = a1 * h;
  const double first = std::sqrt(std::numbers::pi / (2 * x)) / s;
  return {first, first * (order + x + 0.5 - h) / x};
}

/// Returns K(0, x) and K(1, x) for 0 < x <= 2 by their power series.
KPair small_k(double x) {
  const double square = x * x / 4, logarithm = std::log(x / 2);
  // K0 = sum of (H(k) - gamma - log(x/2)) square^k / k!^2, and similarly K1.
  double term = 1, k0 = 0, k1 = 0, harmonic = 0;
  for (int k = 0; k < 30; ++k) {
    if (k > 0) {
      term *= square / (static_cast<double>(k) * k);
      harmonic += 1.0 / k;
    }
    const double digamma1 = harmonic - std::numbers::egamma, digamma2 = digamma1 + 1.0 / (k + 1);
    k0 += term * (digamma1 - logarithm);
    k1 += term / (k + 1) * (logarithm - (digamma1 + digamma2) / 2);
  }
  return {k0, 1 / x + x / 2 * k1};
}

double bessel_k(int order, double x, bool scaled) {
  if (x == 0) return kInf;
  if (!(x > 0)) return kNaN;
  if (std::isinf(x)) return 0;
  const bool is_small = x <= 2;
  const KPair k = is_small ? small_k(x) : scaled_k(0, x);
  const double value = order == 0 ? k.first : k.second;
  if (is_small == scaled) return value * std::exp(scaled ? x : -x);
  return value;
}

}  // namespace

double i0e(double x) { return scaled_i(0, std::abs(x)); }
double i1e(double x) { return std::copysign(1, x) * scaled_i(1, std::abs(x)); }
double i0(double x) {
  if (std::isinf(x)) return kInf;
  const double half = std::exp(std::abs(x) / 2);  // its square may overflow before the product
  return i0e(x) * half * half;
}
double i1(double x) {
  if (std::isinf(x)) return x;
  const double half = std::exp(std::abs(x) / 2);
  return i1e(x) * half * half;
}

// As in PyTorch, the functions of the first and second kind and Ai are NaN at infinity, although
// they have limits there.
double bessel_j0(double x) { return std::isinf(x) ? kNaN : ::j0(x); }
double bessel_j1(double x) { return std::isinf(x) ? kNaN : ::j1(x); }
double bessel_y0(double x) { return x < 0 || std::isinf(x) ? kNaN : ::y0(x); }
double bessel_y1(double x) { return x < 0 || std::isinf(x) ? kNaN : ::y1(x); }

namespace {

/// Returns J(order, x), or Y(order, x), of a large number by Hankel's expansion. The phase is
/// rounded to float, as in PyTorch.
float oscillating_bessel(int order, bool second_kind, float x) {
  const double wide = static_cast<double>(x), m = 4.0 * order * order;
  double term = 1, even = 1, odd = 0;  // sums of terms 0, 2, 4, ... and 1, 3, 5, ...
  for (int k = 1; k < 12; ++k) {
    const double factor = 2 * k - 1;
    term *= (m - factor * factor) / (8 * wide * k);
    (k % 2 == 0 ? even : odd) += k / 2 % 2 == 0 ? term : -term;
  }
  const float phase = x - (static_cast<float>(order) / 2 + 0.25F) * std::numbers::pi_v<float>;
  const double sine = static_cast<double>(std::sin(phase)),
               cosine = static_cast<double>(std::cos(phase));
  const double wave = second_kind ? even * sine + odd * cosine : even * cosine - odd * sine;
  return static_cast<float>(wave * std::sqrt(2 / (std::numbers::pi * wide)));
}

constexpr float kLarge = 25;  ///< Hankel's expansion is exact in float from here on

bool is_large(float x) { return x > kLarge && !std::isinf(x); }

}  // namespace

float bessel_j0(float x) {
  const float size = std::abs(x);
  if (is_large(size)) return oscillating_bessel(0, false, size);
  return static_cast<float>(bessel_j0(static_cast<double>(x)));
}
float bessel_j1(float x) {
  const float size = std::abs(x);
  if (is_large(size)) return std::copysign(1.0F, x) * oscillating_bessel(1, false, size);
  return static_cast<float>(bessel_j1(static_cast<double>(x)));
}
float bessel_y0(float x) {
  if (is_large(x)) return oscillating_bessel(0, true, x);
  return static_cast<float>(bessel_y0(static_cast<double>(x)));
}
float bessel_y1(float x) {
  if (is_large(x)) return oscillating_bessel(1, true, x);
  return static_cast<float>(bessel_y1(static_cast<double>(x)));
}

double bessel_k0(double x) { return bessel_k(0, x, false); }
double bessel_k1(double x) { return bessel_k(1, x, false); }
double bessel_k0e(double x) { return bessel_k(0, x, true); }
double bessel_k1e(double x) { return bessel_k(1, x, true); }

double spherical_bessel_j0(double x) {
  if (std::isinf(x)) return 0;
  return std::abs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x;
}

namespace {

/// Returns Ai(x) for x < -9 by its asymptotic series. The phase is rounded to T, as in PyTorch.
template <class T> double oscillating_airy(T x) {
  const T wide = T(2) * -x * std::sqrt(-x) / T(3), phase = wide + T(0.25) * std::numbers::pi_v<T>;
  const auto zeta = static_cast<double>(wide);
  // The coefficients are u(k) = u(k-1) (6k-5)(6k-3)(6k-1) / (216 k (2k-1)).
  double u = 1, sine = 1, cosine = 0, power = 1;
  for (int k = 1; k < 20; ++k) {
    u *= (6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1) / (216.0 * k * (2 * k - 1));
    power /= zeta;
    const double term = (k / 2 % 2 == 0 ? 1 : -1) * u * power;
    if (std::abs(term) < kEps / 4) break;
    (k % 2 == 0 ? sine : cosine) += term;
  }
  return (static_cast<double>(std::sin(phase)) * sine -
          static_cast<double>(std::cos(phase)) * cosine) /
         (std::sqrt(std::numbers::pi) * std::pow(static_cast<double>(-x), 0.25));
}

}  // namespace

double airy_ai(double x) {
  if (std::isnan(x) || std::isinf(x)) return kNaN;
  const double magnitude = std::abs(x), zeta = 2.0 / 3 * magnitude * std::sqrt(magnitude);
  if (x > 2.1)  // sqrt(x / 3) / pi * K(1/3, zeta)
    return std::sqrt(x / 3) / std::numbers::pi * scaled_k(1.0 / 3, zeta).first * std::exp(-zeta);
  if (x < -9) return oscillating_airy(x);
  // Taylor series of the two solutions, in long double because they nearly cancel.
  const long double cube = static_cast<long double>(x) * x * x;
  long double f = 1, g = x, f_term = 1, g_term = x;
  for (int k = 1; k < 200; ++k) {
    f_term *= cube / ((3.0L * k - 1) * (3.0L * k));
    g_term *= cube / ((3.0L * k) * (3.0L * k + 1));
    f += f_term;
    g += g_term;
    if (std::abs(f_term) + std::abs(g_term) < 1e-22L) break;
  }
  return static_cast<double>(0.355028053887817239260063L * f - 0.258819403792806798405184L * g);
}

float airy_ai(float x) {
  if (x < -9 && !std::isinf(x)) return static_cast<float>(oscillating_airy(x));
  return static_cast<float>(airy_ai(static_cast<double>(x)));
}

}  // namespace taper::special_math
