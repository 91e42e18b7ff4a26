// Parser of the numbers of a CSV file.
#pragma once
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

#include "data/readers/decimal.h"

namespace taper::data::csv {

/// A parsed number.
struct Number {
  enum class Kind : std::uint8_t {
    integer,  ///< an integer that fits int64
    natural,  ///< an integer that fits uint64 only
    wide,     ///< an integer that fits neither
    real
  };
  Kind kind = Kind::integer;
  bool negative = false;
  union {
    std::int64_t integer = 0;
    std::uint64_t natural;
    double real;  // also of a wide integer
  };
  /// Returns the bits of an integer that fits 64 bits.
  std::uint64_t bits() const {
    return kind == Kind::integer ? static_cast<std::uint64_t>(integer) : natural;
  }
  double value() const {
    switch (kind) {
      case Kind::integer: return static_cast<double>(integer);
      case Kind::natural: return static_cast<double>(natural);
      default: return real;
    }
  }
};

inline constexpr std::array<std::uint64_t, 9> kPowersOf10 = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
/// Powers of ten that a double represents.
inline constexpr std::array kExactPowersOf10 = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Appends the digits at `p` to the decimal number `to`. Returns the end of the digits. The digits
/// that the last 64 bits cannot hold overflow.
inline const char* append_digits(const char* p, const char* end, std::uint64_t& to) {
  // Eight characters at a time, as numbers in the bytes of a word.
  while (end - p >= 8) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    word ^= 0x3030303030303030u;
    const std::uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
    const int n = std::countr_zero(others) / 8;
    if (n == 0) return p;
    word <<= 8 * (8 - n);
    word = word * 10 + (word >> 8);  // numbers of two digits in every other byte
    word = ((word & 0x000000ff000000ffu) * (100 + (std::uint64_t{1000000} << 32)) +
            (word >> 16 & 0x000000ff000000ffu) * (1 + (std::uint64_t{10000} << 32))) >>
           32;
    to = to * kPowersOf10[static_cast<std::size_t>(n)] + word;
    p += n;
    if (n < 8) return p;
  }
  for (; is_digit(*p); ++p) to = to * 10 + static_cast<unsigned char>(*p - '0');
  return p;
}

/// Parses the number at `p`: sign, digits with an optional point, exponent. The text until
/// `end` must be followed by a character that cannot continue a number, such as a zero byte.
/// Returns the end of the number; null if there is not one.
inline const char* parse_number(const char* p, const char* end, Number& to) {
  constexpr int kDigits = 19;  // any number of 19 digits fits 64 bits
  const char* const start = p;
  const bool negative = *p == '-';
  p += negative || *p == '+';
  std::uint64_t mantissa = 0;
  const char* const first = p;
  for (; is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<unsigned char>(*p - '0');
  const std::ptrdiff_t whole = p - first;
  std::ptrdiff_t fraction = 0;
  bool is_real = false;
  if (*p == '.') {
    const char* const point = ++p;
    p = append_digits(p, end, mantissa);
    fraction = p - point;
    is_real = true;
  }
  const std::ptrdiff_t digits = whole + fraction;
  if (digits == 0) return nullptr;
  std::int64_t exponent = 0;
  if (*p == 'e' || *p == 'E') {
    const char* q = p + 1;
    const bool down = *q == '-';
    q += down || *q == '+';
    if (!is_digit(*q)) return nullptr;
    constexpr std::int64_t kMaxExponent = 1'000'000'000;
    for (; is_digit(*q); ++q)
      if (exponent < kMaxExponent) exponent = exponent * 10 + (*q - '0');
    if (down) exponent = -exponent;
    p = q;
    is_real = true;
  }
  to.negative = negative;
  if (!is_real && digits < kDigits) {
    to.kind = Number::Kind::integer;
    const auto value = static_cast<std::int64_t>(mantissa);
    to.integer = negative ? -value : value;
    return p;
  }
  if (is_real && digits <= kDigits) {
    // If mantissa and power of ten are exact, so is the rounding of one operation.
    const std::int64_t power = exponent - fraction;
    if (mantissa <= std::uint64_t{1} << 53 && power >= -22 && power <= 22) {
      const auto m = static_cast<double>(mantissa);
      const double x = power < 0 ? m / kExactPowersOf10[static_cast<std::size_t>(-power)]
                                 : m * kExactPowersOf10[static_cast<std::size_t>(power)];
      to.kind = Number::Kind::real;
      // Signs are hard to predict.
      to.real = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^
                                      static_cast<std::uint64_t>(negative) << 63);
      return p;
    }
  }
  if (is_real) {
    to.kind = Number::Kind::real;
    to.real = parse_double(start, p);
    return p;
  }
  // An integer of many digits. Leading zeros do not count.
  const char* significant = first;
  while (significant + 1 < p && *significant == '0') ++significant;
  std::uint64_t natural = 0;
  if (std::from_chars(significant, p, natural).ec != std::errc{}) {
    to.kind = Number::Kind::wide;
    to.real = parse_double(start, p);
    return p;
  }
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (natural <= kMax || (negative && natural == kMax + 1)) {
    to.kind = Number::Kind::integer;
    to.integer = static_cast<std::int64_t>(negative ? 0 - natural : natural);
  } else if (!negative) {
    to.kind = Number::Kind::natural;
    to.natural = natural;
  } else {
    to.kind = Number::Kind::wide;
    to.real = -static_cast<double>(natural);
  }
  return p;
}

}  // namespace taper::data::csv
