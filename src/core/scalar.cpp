#include "taper/core/scalar.h"

#include <charconv>
#include <cmath>

#include "core/check.h"
#include "core/number_text.h"
#include "taper/core/error.h"

namespace taper {

std::int64_t Scalar::to_int() const {
  if (!is_floating()) return integer_;
  if (!(floating_ >= -0x1p63 && floating_ < 0x1p63))
    fail<ValueError>("Scalar: value cannot be converted to type int64_t without overflow: got {}",
                     python_repr(floating_));
  return static_cast<std::int64_t>(floating_);
}

std::string Scalar::str() const {
  switch (kind_) {
    case Kind::boolean: return bool_text(integer_ != 0);
    case Kind::integer: return std::to_string(integer_);
    case Kind::floating: break;
  }
  return python_repr(floating_);
}

std::string python_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific);
  const std::string text(digits, end.ptr);
  const auto e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent < -4 || exponent >= 16) {
    std::string result = text.substr(0, e) + (exponent < 0 ? "e-" : "e+");
    const std::string power = std::to_string(std::abs(exponent));
    return result + (power.size() < 2 ? "0" : "") + power;
  }
  char fixed[400];
  const auto stop = std::to_chars(fixed, fixed + sizeof fixed, value, std::chars_format::fixed);
  std::string result(fixed, stop.ptr);
  if (result.find('.') == std::string::npos) result += ".0";
  return result;
}

}  // namespace taper
