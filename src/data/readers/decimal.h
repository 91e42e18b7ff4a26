// parse_double: converts the text of a number to the nearest double.
#pragma once
#include <charconv>
#include <cstdint>
#include <limits>

namespace taper::data {

constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// Returns the double nearest to the number in [first, last): digits, possibly with a sign, a point
/// and an exponent. Numbers out of range become infinity or zero.
inline double parse_double(const char* first, const char* last) {
  const bool negative = *first == '-';
  if (*first == '+') ++first;
  double x = 0;
  if (std::from_chars(first, last, x).ec == std::errc{}) return x;
  // Out of range: the decimal exponent of the first significant digit decides.
  std::int64_t exponent = 0;
  bool is_fraction = false, is_significant = false;
  const char* p = first + negative;
  for (; p < last && (is_digit(*p) || *p == '.'); ++p) {
    is_fraction |= *p == '.';
    is_significant |= is_digit(*p) && *p != '0';
    if (!is_fraction && is_significant) ++exponent;
    if (is_fraction && !is_significant) --exponent;
  }
  if (p < last) {  // the exponent, of which further digits do not matter
    constexpr std::int64_t kLarge = std::int64_t{1} << 50;
    const bool down = p[1] == '-';
    std::int64_t written = 0;
    for (p += 1 + (p[1] == '-' || p[1] == '+'); p < last && written < kLarge; ++p)
      written = written * 10 + (*p - '0');
    exponent += down ? -written : written;
  }
  x = exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -x : x;
}

}  // namespace taper::data
