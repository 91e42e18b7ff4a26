// Loads and stores of single elements of any dtype, for kernels that favor clarity over speed.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/element.h"
#include "taper/core/scalar.h"

namespace taper::kernel {

/// Returns one element converted to T (double, float, int64 or uint64). Any nonzero byte of a bool
/// is true.
template <class T> T load(const std::byte* p, DType type) {
  return visit_dtype(type, [p]<class From>(From) -> T {
    if constexpr (std::is_same_v<From, bool>)
      return static_cast<T>(*reinterpret_cast<const std::uint8_t*>(p) != 0);
    else
      return element_cast<T>(*reinterpret_cast<const From*>(p));
  });
}

/// Stores `v`, converted to `type`, as the element at `p`.
template <class T> void store(std::byte* p, DType type, T v) {
  visit_dtype(type, [p, v]<class To>(To) { *reinterpret_cast<To*>(p) = element_cast<To>(v); });
}

/// Converts the element at `from` to `to_type` and stores it at `to`.
inline void convert(std::byte* to, DType to_type, const std::byte* from, DType from_type) {
  if (is_floating_point(from_type))
    store(to, to_type, load<double>(from, from_type));
  else if (from_type == DType::u64)
    store(to, to_type, load<std::uint64_t>(from, from_type));
  else
    store(to, to_type, load<std::int64_t>(from, from_type));
}

inline void store(std::byte* p, DType type, const Scalar& v) {
  if (v.is_floating())
    store(p, type, v.to_double());
  else
    store(p, type, v.to_int());
}

/// Returns `s` as the type that a kernel computes in.
template <class T> T scalar_to(const Scalar& s) {
  if constexpr (std::is_integral_v<T>)
    return s.is_floating() ? element_cast<T>(s.to_double()) : s.to_int();
  else
    return static_cast<T>(s.to_double());
}

/// Returns `v` rounded or wrapped to `dtype`.
template <class T> T round_to_dtype(T v, DType dtype) {
  alignas(8) std::byte buffer[8];
  store(buffer, dtype, v);
  return load<T>(buffer, dtype);
}

// Return a + b, a - b and a * b. Integers wrap around, because signed overflow is undefined.
template <class T> T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <class T> T minus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  else
    return a - b;
}
template <class T> T times(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}

inline std::int64_t element_size(const View& v) {
  return static_cast<std::int64_t>(size_of(v.dtype));
}

}  // namespace taper::kernel
