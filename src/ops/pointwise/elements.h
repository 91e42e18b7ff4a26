// Functions of single elements shared by pointwise kernels: double, float or int64.
#pragma once
#include <cmath>
#include <limits>
#include <utility>

#include "ops/kernel/element.h"

namespace taper::kernel {

/// Returns the greater of both, or NaN if either is NaN.
template <class T> T nan_max(T a, T b) { return a > b || a != a ? a : b; }
/// Returns the lesser of both, or NaN if either is NaN.
template <class T> T nan_min(T a, T b) { return a < b || a != a ? a : b; }

/// Returns the greater, or the lesser, of both; NaN only if both are NaN.
template <class T> T number_max(T a, T b) { return b != b || a >= b ? a : b; }
template <class T> T number_min(T a, T b) { return b != b || a <= b ? a : b; }

/// Returns whether `x` is infinity with the sign of `sign`.
template <class T> bool is_infinity(T x, int sign) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return x == std::copysign(std::numeric_limits<T>::infinity(), static_cast<T>(sign));
}

/// Returns `x` if it is an integer, otherwise `value`.
template <class T> T integer_or(T x, double value) {
  if constexpr (std::is_integral_v<T>)
    return x;
  else
    return value;
}
template <class T> T negate(T x) {
  if constexpr (std::is_integral_v<T>)
    return minus(T{0}, x);
  else
    return -x;
}
template <class T> T absolute_value(T x) {
  if constexpr (std::is_integral_v<T>)
    return x < 0 ? minus(T{0}, x) : x;
  else
    return std::abs(x);
}

/// Returns the greatest common divisor, which is not negative; of 0 and 0, it is 0.
inline std::int64_t gcd(std::int64_t a, std::int64_t b) {
  auto x = static_cast<std::uint64_t>(absolute_value(a));
  auto y = static_cast<std::uint64_t>(absolute_value(b));
  while (y != 0) x = std::exchange(y, x % y);
  return static_cast<std::int64_t>(x);
}
/// Returns the least common multiple, which is not negative; 0 if a or b is 0.
inline std::int64_t lcm(std::int64_t a, std::int64_t b) {
  return a == 0 || b == 0 ? 0 : absolute_value(times(a / gcd(a, b), b));
}

/// Returns a shifted by b bits. All bits are shifted out if b is negative or exceeds the width.
inline std::int64_t left_shift(std::int64_t a, std::int64_t b) {
  return b < 0 || b > 63 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
}
inline std::int64_t right_shift(std::int64_t a, std::int64_t b) {
  return a >> (b < 0 || b > 63 ? 63 : b);
}

/// Returns a / b, rounded toward zero. The division of small numbers takes half of the time of that
/// of 64 bits.
inline std::int64_t quotient(std::int64_t a, std::int64_t b) {
  constexpr std::uint64_t kLimit = 1 << 30;
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  if ((((x + kLimit) | (y + kLimit)) >> 31) == 0)
    return static_cast<std::int32_t>(a) / static_cast<std::int32_t>(b);
  return b == -1 ? minus(std::int64_t{0}, a) : a / b;  // the smallest integer cannot be negated
}
/// Returns the remainder of a / b with the sign of a, as C's fmod.
inline float float_fmod(float a, float b) {
  // A quotient below 2^28 is rounded to the right integer, because its distance from other integers
  // is larger than the error of the division, and its product with b is exact in double.
  const double q = static_cast<double>(a) / static_cast<double>(b);
  if (!(q < 0x1p28 && q > -0x1p28)) return std::fmod(a, b);
  const int whole = static_cast<int>(q);
  const auto rest = static_cast<float>(static_cast<double>(a) - whole * static_cast<double>(b));
  return whole == 0 ? a : std::copysign(rest, a);
}
/// Returns the remainder of a / b with the sign of a, as C's fmod. An integer b may not be 0.
template <class T> T fmod(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return minus(a, times(quotient(a, b), b));
  else if constexpr (std::is_same_v<T, float>)
    return float_fmod(a, b);
  else
    return std::fmod(a, b);
}
/// Returns the remainder of a / b with the sign of b, as Python's `%`.
template <class T> T remainder(T a, T b) {
  const T rest = kernel::fmod(a, b);
  return rest != T(0) && (b < T(0)) != (rest < T(0)) ? rest + b : rest;
}

/// Returns a / b rounded down, consistent with the remainder, as Python's floor division. An
/// integer b may not be 0.
template <class T> T floor_div(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const T q = quotient(a, b);
    const bool is_inexact = times(q, b) != a, is_negative = (a < 0) != (b < 0);
    return q - (is_inexact & is_negative);
  } else {
    if (b == T(0)) return a / b;
    const T rest = std::fmod(a, b);
    T q = (a - rest) / b;
    if (rest != T(0) && (b < T(0)) != (rest < T(0))) q -= T(1);
    if (q == T(0)) return std::copysign(T(0), a / b);
    const T down = std::floor(q);
    return q - down > T(0.5) ? down + T(1) : down;
  }
}

}  // namespace taper::kernel
