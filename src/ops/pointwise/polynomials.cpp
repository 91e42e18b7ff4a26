// Orthogonal polynomials of a number. Recurrences end when the value is infinite or NaN; larger
// orders than kMaxSteps are computed in closed form or by their asymptotic expansion, so that no
// order takes more steps.
#include <numbers>

#include "ops/pointwise/special_math.h"

namespace taper::special_math {
namespace {

constexpr std::int64_t kMaxSteps = 1'000'000;

bool is_even(std::int64_t n) { return n % 2 == 0; }

/// Returns the order `n` truncated to an integer; -1, as for all negative orders, for NaN and
/// orders beyond int64, which PyTorch converts to a negative integer.
std::int64_t order_of(double n) { return n > -1 && n < 0x1p63 ? static_cast<std::int64_t>(n) : -1; }

/// Returns `y`, or NaN if it is infinite: a recurrence that overflows ends in inf - inf.
template <class T> T nan_if_infinite(T y) { return std::isinf(y) ? static_cast<T>(kNaN) : y; }

/// Returns member n of the sequence 1, `second`, ... with p(k) = 2 x p(k-1) - p(k-2). For large n,
/// which requires |x| > 1, it is `closed_form(n, angle)` of the angle with cosh(angle) = |x|.
template <class T, class F> T chebyshev_recurrence(T x, std::int64_t n, T second, F&& closed_form) {
  T p = 1, q = second;
  if (n == 0) return p;
  if (n > kMaxSteps && std::isfinite(x))
    return nan_if_infinite(closed_form(static_cast<T>(n), std::acosh(std::abs(x))));
  for (std::int64_t k = 2; k <= n && !std::isnan(q); ++k) {
    const T next = (x + x) * q - p;
    p = q, q = next;
  }
  return q;
}

/// Returns the sign of member n of a sequence whose members are alternately even and odd.
template <class T> T sign_of(T x, std::int64_t n) { return x > 0 || is_even(n) ? 1 : -1; }

/// Chebyshev polynomials of the third and fourth kind of x = cosh(angle).
template <class T> T cosh_ratio(T n, T angle) {
  return std::cosh((n + T(0.5)) * angle) / std::cosh(angle / 2);
}
template <class T> T sinh_ratio(T n, T angle) {
  return std::sinh((n + T(0.5)) * angle) / std::sinh(angle / 2);
}

}  // namespace

template <class T> T chebyshev_t(T x, T order) {
  const std::int64_t n = order_of(order);
  if (n < 0) return 0;
  if (std::abs(x) == 1) return sign_of(x, n);
  if (n > 6 && std::abs(x) < 1) return std::cos(static_cast<T>(n) * std::acos(x));
  return chebyshev_recurrence(x, n, x,
                              [&](T m, T angle) { return sign_of(x, n) * std::cosh(m * angle); });
}
template <class T> T chebyshev_u(T x, T order) {
  const std::int64_t n = order_of(order);
  if (n < 0) return 0;
  const T next = static_cast<T>(n) + 1;
  if (std::abs(x) == 1) return sign_of(x, n) * next;
  if (n > 8 && std::abs(x) < 1) {
    const T angle = std::acos(x), sine = std::sin(angle);
    return sine != 0 ? std::sin(next * angle) / sine : next * std::cos(next * angle) / x;
  }
  return chebyshev_recurrence(x, n, x + x, [&](T m, T angle) {
    return sign_of(x, n) * std::sinh((m + 1) * angle) / std::sinh(angle);
  });
}
template <class T> T chebyshev_v(T x, T order) {
  const std::int64_t n = order_of(order);
  if (n < 0) return 0;
  const T weight = T(2) * static_cast<T>(n) + 1;
  if (std::abs(x) == 1) return x > 0 ? 1 : is_even(n) ? weight : -weight;
  if (n > 8 && std::abs(x) < 1) {
    const T angle = std::acos(x);
    return std::cos((static_cast<T>(n) + T(0.5)) * angle) / std::cos(angle / 2);
  }
  return chebyshev_recurrence(x, n, x + x - 1, [&](T m, T angle) {
    return x > 0 ? cosh_ratio(m, angle) : sign_of(x, n) * sinh_ratio(m, angle);
  });
}
template <class T> T chebyshev_w(T x, T order) {
  const std::int64_t n = order_of(order);
  if (n < 0) return 0;
  const T weight = T(2) * static_cast<T>(n) + 1;
  if (std::abs(x) == 1) return x > 0 ? weight : is_even(n) ? 1 : -1;
  if (n > 8 && std::abs(x) < 1) {
    const T angle = std::acos(x);
    return std::sin((static_cast<T>(n) + T(0.5)) * angle) / std::sin(angle / 2);
  }
  return chebyshev_recurrence(x, n, x + x + 1, [&](T m, T angle) {
    return x > 0 ? sinh_ratio(m, angle) : sign_of(x, n) * cosh_ratio(m, angle);
  });
}

template <class T> T hermite_h(T x, T order) {
  const std::int64_t n = order_of(order);
  if (n < 0) return 0;
  if (n == 0) return 1;
  if (n > (sizeof(T) == 4 ? 128 : 512)) return static_cast<T>(kNaN);
  T p = 1, q = x + x;
  for (std::int64_t k = 2; k <= n && !std::isnan(q); ++k) {
    const T next = (x + x) * q - static_cast<T>(2 * (k - 1)) * p;
    p = q, q = next;
  }
  return q;
}
template <class T> T hermite_he(T x, T order) {
  const std::int64_t n = order_of(order);
  if (n < 0) return 0;
  if (n == 0) return 1;
  if (n > (sizeof(T) == 4 ? 128 : 512)) return static_cast<T>(kNaN);
  T p = 1, q = x;
  for (std::int64_t k = 2; k <= n && !std::isnan(q); ++k) {
    const T next = x * q - static_cast<T>(k - 1) * p;
    p = q, q = next;
  }
  return q;
}

template <class T> T laguerre_l(T x, T order) {
  const std::int64_t n = order_of(order);
  if (n < 0) return 0;
  if (x == 0 || n == 0) return 1;
  // Steps of the recurrence beyond 2^24 are not exact in float: in PyTorch, it ends in NaN.
  if (sizeof(T) == 4 && n > 1 << 24) return static_cast<T>(kNaN);
  if (n > kMaxSteps) {
    // Fejer's formula and, for negative x, Perron's.
    const T product = static_cast<T>(n) * std::abs(x), root = 2 * std::sqrt(product);
    const T scale =
        std::exp(x / 2) / (std::sqrt(std::numbers::pi_v<T>) * std::pow(product, T(0.25)));
    return x > 0 ? scale * std::cos(root - std::numbers::pi_v<T> / 4)
                 : scale * std::exp(root) / T(2);
  }
  T p = 1, q = 1 - x;
  for (std::int64_t k = 1; k < n && !std::isnan(q); ++k) {
    const auto step = static_cast<T>(k);
    const T next = ((2 * step + 1 - x) * q - step * p) / (step + 1);
    p = q, q = next;
  }
  return q;
}

template <class T> T legendre_p(T x, T order) {
  const std::int64_t n = order_of(order);
  if (n < 0) return 0;
  if (std::abs(x) == 1) return sign_of(x, n);
  if (n == 0) return 1;
  if (n > kMaxSteps && std::isfinite(x)) {
    // Hilb's formula, whose relative error is of the order of 1 / n.
    const double m = static_cast<double>(n) + 0.5, size = std::abs(static_cast<double>(x));
    const double angle = size < 1 ? std::acos(size) : std::acosh(size);
    const double value = size < 1 ? std::sqrt(angle / std::sin(angle)) * bessel_j0(m * angle)
                                  : std::sqrt(angle / std::sinh(angle)) * i0(m * angle);
    return sign_of(x, n) * nan_if_infinite(static_cast<T>(value));
  }
  T p = 1, q = x;
  for (std::int64_t k = 1; k < n && !std::isnan(q); ++k) {
    const auto step = static_cast<T>(k);
    const T next = ((2 * step + 1) * x * q - step * p) / (step + 1);
    p = q, q = next;
  }
  return q;
}

#define INSTANTIATE(T)             \
  template T chebyshev_t<T>(T, T); \
  template T chebyshev_u<T>(T, T); \
  template T chebyshev_v<T>(T, T); \
  template T chebyshev_w<T>(T, T); \
  template T hermite_h<T>(T, T);   \
  template T hermite_he<T>(T, T);  \
  template T laguerre_l<T>(T, T);  \
  template T legendre_p<T>(T, T);
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace taper::special_math
