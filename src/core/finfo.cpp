#include "taper/core/finfo.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/check.h"
#include "core/element.h"

namespace taper {
namespace {

/// Returns a number with 6 significant digits, as C++ streams print it.
std::string brief(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

}  // namespace

finfo::finfo(DType t) : bits(static_cast<int>(8 * size_of(t))), dtype(t) {
  // Binary digits of the significand, largest exponent, exact decimal digits.
  int digits = 0, max_exponent = 0;
  switch (t) {
    case DType::f64: digits = 53, max_exponent = 1024, resolution = 1e-15; break;
    case DType::f32: digits = 24, max_exponent = 128, resolution = 1e-6; break;
    case DType::f16: digits = 11, max_exponent = 16, resolution = 1e-3; break;
    case DType::bf16: digits = 8, max_exponent = 128, resolution = 1e-2; break;
    default:
      fail<TypeError>("finfo: expected a floating-point dtype, got {}. Use iinfo for integers", t);
  }
  eps = std::ldexp(1.0, 1 - digits);
  max = std::ldexp(2 - eps, max_exponent - 1);
  min = -max;
  tiny = smallest_normal = std::ldexp(1.0, 2 - max_exponent);
}

std::string finfo::str() const {
  return "finfo(resolution=" + brief(resolution) + ", min=" + brief(min) + ", max=" + brief(max) +
         ", eps=" + brief(eps) + ", smallest_normal=" + brief(smallest_normal) +
         ", tiny=" + brief(tiny) + ", dtype=" + std::string(name_of(dtype)) + ")";
}

iinfo::iinfo(DType t) : bits(static_cast<int>(8 * size_of(t))), dtype(t) {
  if (!is_integral(t))
    fail<TypeError>("iinfo: expected an integer dtype, got {}{}", t,
                    is_floating_point(t) ? ". Use finfo for floating-point types" : "");
  visit_dtype(t, [this]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      min = static_cast<std::int64_t>(std::numeric_limits<T>::min());
      max = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    }
  });
}

std::string iinfo::str() const {
  return "iinfo(min=" + brief(static_cast<double>(min)) +
         ", max=" + brief(static_cast<double>(max)) + ", dtype=" + std::string(name_of(dtype)) +
         ")";
}

}  // namespace taper
