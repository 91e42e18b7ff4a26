// One element of a tensor, whatever its type: for code whose time does not matter.
#pragma once
#include <cstring>
#include <limits>

#include "core/dtype_table.h"
#include "core/tensor_impl.h"
#include "taper/core/error.h"

namespace taper {

/// An integer or bool is exact in `integer`, a float in `floating`; `whole` says which. A uint64
/// from 2^63 on is `above`: `integer` has its bits.
struct Element {
  std::int64_t integer = 0;
  double floating = 0;
  bool whole = false, above = false;
  double number() const {
    if (above) return static_cast<double>(static_cast<std::uint64_t>(integer));
    return whole ? static_cast<double>(integer) : floating;
  }
  friend bool operator==(const Element& a, const Element& b) {
    if (a.whole && b.whole) return a.integer == b.integer && a.above == b.above;
    return a.number() == b.number();
  }
};

/// The element `at` steps (in elements) behind the view's first.
Element read_element(const View& view, std::int64_t at);

/// `value` as an element of type T, converted as C does it (16-bit floats by way of float); a float
/// that no 64-bit integer holds gives what x86 gives: the least one.
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
