// Element: access to single elements of any dtype, for code that is not performance-critical.
#pragma once
#include <cstring>
#include <limits>

#include "core/dtype_table.h"
#include "core/tensor_impl.h"
#include "taper/core/error.h"

namespace taper {

/// An element value: `integer` for integers and bools (if `is_integer` is true), otherwise
/// `floating`. `is_large_uint64` marks a uint64 of at least 2^63, whose bits are in `integer`.
struct Element {
  std::int64_t integer = 0;
  double floating = 0;
  bool is_integer = false, is_large_uint64 = false;
  double number() const {
    if (is_large_uint64) return static_cast<double>(static_cast<std::uint64_t>(integer));
    return is_integer ? static_cast<double>(integer) : floating;
  }
  friend bool operator==(const Element& a, const Element& b) {
    if (a.is_integer && b.is_integer)
      return a.integer == b.integer && a.is_large_uint64 == b.is_large_uint64;
    return a.number() == b.number();
  }
};

/// Returns the element at offset `at`, in elements, from the first element of the view.
Element read_element(const View& view, std::int64_t at);

/// Converts `value` to T as C does; 16-bit floats are converted through float. A float is converted
/// to an integer through int64: NaN and values out of the range of int64 become its minimum, as on
/// x86. Only for uint64, values from 2^63 to below 2^64 are converted exactly.
template <class T, class V> T element_cast(V value) {
  if constexpr (is_narrow_float<V>)
    return element_cast<T>(static_cast<float>(value));
  else if constexpr (is_narrow_float<T>)
    return T(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, bool>)
    return value != V{};
  else if constexpr (std::is_same_v<T, std::uint64_t> && std::is_floating_point_v<V>)
    return value >= V(0x1p63) ? static_cast<T>(element_cast<std::int64_t>(value - V(0x1p63))) ^
                                    std::uint64_t{1} << 63
                              : static_cast<T>(element_cast<std::int64_t>(value));
  else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<V>)
    return static_cast<T>(value >= V(-0x1p63) && value < V(0x1p63)
                              ? static_cast<std::int64_t>(value)
                              : std::numeric_limits<std::int64_t>::min());
  else
    return static_cast<T>(value);
}

}  // namespace taper
