// Python's arithmetic, which throws where C++ returns infinity or NaN, or is undefined.
#pragma once
#include <cmath>
#include <cstdint>

#include "core/check.h"

namespace taper::optim::lr_scheduler {

inline constexpr double kPi = 3.141592653589793;  // math.pi

/// Returns a / b. Throws ValueError if b is zero; `what` describes the divisor.
inline double divide(double a, double b, const char* what) {
  if (b == 0) fail<ValueError>("{}: float division by zero", what);
  return a / b;
}

/// Returns a ** b. Throws ValueError where Python raises or returns a complex number.
inline double power(double a, double b) {
  if (a == 0 && b < 0) fail<ValueError>("0.0 cannot be raised to a negative power: got {}", b);
  if (a < 0 && std::isfinite(b) && b != std::floor(b))
    fail<ValueError>("a negative factor cannot be raised to a fractional power: got {} ** {}", a,
                     b);
  const double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
    fail<ValueError>("numerical result out of range: {} ** {}", a, b);
  return result;
}

/// Returns true if n divides a. Throws ValueError if n is zero.
inline bool is_multiple(std::int64_t a, std::int64_t n, const char* what) {
  if (n == 0) fail<ValueError>("{}: integer modulo by zero", what);
  return n == -1 || a % n == 0;
}

/// Returns a // n. Throws ValueError if n is zero.
inline std::int64_t floor_divide(std::int64_t a, std::int64_t n, const char* what) {
  if (n == 0) fail<ValueError>("{}: integer division by zero", what);
  const std::int64_t quotient = a / n;
  return quotient - (a % n != 0 && (a < 0) != (n < 0));
}

}  // namespace taper::optim::lr_scheduler
