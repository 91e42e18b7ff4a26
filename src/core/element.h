// One element of a tensor, whatever its type: for code whose time does not matter.
#pragma once
#include <cstring>
#include <limits>

#include "core/tensor_impl.h"
#include "taper/core/error.h"

namespace taper {

/// An integer or bool is exact in `integer`, a float in `floating`; `whole` says which.
struct Element {
  std::int64_t integer = 0;
  double floating = 0;
  bool whole = false;
  double number() const { return whole ? static_cast<double>(integer) : floating; }
};

/// The element `at` steps (in elements) behind the view's first.
Element read_element(const View& view, std::int64_t at);

/// Calls f(T{}) for the C++ type of the elements.
template <class F> decltype(auto) with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f64: return f(double{});
    case DType::f32: return f(float{});
    case DType::f16: return f(Half{});
    case DType::bf16: return f(BFloat16{});
    case DType::i64: return f(std::int64_t{});
    case DType::i32: return f(std::int32_t{});
    case DType::i16: return f(std::int16_t{});
    case DType::i8: return f(std::int8_t{});
    case DType::u8: return f(std::uint8_t{});
    case DType::bool_: break;
  }
  return f(bool{});
}

/// `value` as an element of type T, converted as C does it (16-bit floats by way of float); a float
/// that no 64-bit integer holds gives what x86 gives: the least one.
template <class T, class V> T element_cast(V value) {
  if constexpr (std::is_same_v<V, Half> || std::is_same_v<V, BFloat16>)
    return element_cast<T>(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return T(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, bool>)
    return value != V{};
  else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<V>)
    return static_cast<T>(value >= V(-0x1p63) && value < V(0x1p63)
                              ? static_cast<std::int64_t>(value)
                              : std::numeric_limits<std::int64_t>::min());
  else
    return static_cast<T>(value);
}

}  // namespace taper
