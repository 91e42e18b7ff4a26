// Conversion of numbers to element types, with a check of the range.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/dtype_table.h"
#include "taper/core/scalar.h"

namespace taper {

/// Numbers that can be converted to an element type.
struct NumberRange {
  std::int64_t lowest, highest;  ///< of integers
  double floating_lowest, floating_highest;
  bool non_finite;  ///< infinities and NaN can be converted
};

namespace detail {
template <class T> constexpr NumberRange number_range() {
  using Int = std::numeric_limits<std::int64_t>;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if constexpr (std::is_same_v<T, bool>) {
    return {Int::min(), Int::max(), -kInfinity, kInfinity, true};
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    constexpr int kBits = Limits::digits;
    constexpr auto kMax =
        static_cast<std::int64_t>(kBits > 63 ? static_cast<std::uint64_t>(Int::max())
                                             : static_cast<std::uint64_t>(Limits::max()));
    // The largest double below 2^kBits: fractions are truncated.
    constexpr double kDoubleMax =
        static_cast<double>(std::uint64_t{1} << (kBits - 1)) * (2 - 0x1p-52);
    return {Limits::is_signed ? static_cast<std::int64_t>(Limits::min())
            : kBits > 63      ? Int::min()
                              : -kMax,
            kMax, Limits::is_signed ? static_cast<double>(Limits::min()) : 0, kDoubleMax, false};
  } else {
    constexpr DType kType = dtype_of<T>;
    constexpr double kMax = kType == DType::f64    ? std::numeric_limits<double>::max()
                            : kType == DType::f32  ? std::numeric_limits<float>::max()
                            : kType == DType::bf16 ? 0x1.fep127
                                                   : 65504;
    constexpr bool kHalf = kType == DType::f16;
    return {kHalf ? -65504 : Int::min(), kHalf ? 65504 : Int::max(), -kMax, kMax, true};
  }
}
inline constexpr std::array<NumberRange, kDTypeCount> kNumberRanges = {{
#define TAPER_DTYPE(id, type, ...) number_range<type>(),
#include "taper/core/dtypes.inc"
}};
}  // namespace detail

constexpr const NumberRange& number_range_of(DType t) {
  return detail::kNumberRanges[static_cast<std::size_t>(t)];
}

/// Returns true if a number can be converted to an element of type `dtype`. Infinities and NaN can
/// be converted to floating-point types and to bool only, a negative integer also to an unsigned
/// type that can represent its magnitude (it wraps around, as in `a - b = a + 255 * b`). PyTorch:
/// c10::overflows.
inline bool is_in_range(const Scalar& number, DType dtype) {
  const NumberRange& range = number_range_of(dtype);
  if (!number.is_floating()) {
    const auto v = static_cast<const std::int64_t*>(number.data());
    return *v >= range.lowest && *v <= range.highest;
  }
  const double v = number.to_double();
  return (v >= range.floating_lowest && v <= range.floating_highest) ||
         (range.non_finite && !std::isfinite(v));
}

/// Throws RuntimeError: "<op>: value cannot be converted to type uint8_t without overflow: got
/// 1000".
[[noreturn]] void reject_out_of_range(const Scalar& number, DType dtype, std::string_view op);

/// Throws RuntimeError naming `op` unless `number` can be converted to `dtype`.
inline void check_in_range(const Scalar& number, DType dtype, std::string_view op) {
  if (!is_in_range(number, dtype)) [[unlikely]]
    reject_out_of_range(number, dtype, op);
}

}  // namespace taper
