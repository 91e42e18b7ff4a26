// Loads and stores of single elements of any dtype, for kernels that favor clarity over speed.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/tensor_impl.h"
#include "taper/core/scalar.h"

namespace taper::kernel {

/// Loads one element as T (double, float or int64).
template <class T> T load(const std::byte* p, DType type) {
  switch (type) {
    case DType::f64: return static_cast<T>(*reinterpret_cast<const double*>(p));
    case DType::f32: return static_cast<T>(*reinterpret_cast<const float*>(p));
    case DType::f16: return static_cast<T>(static_cast<float>(*reinterpret_cast<const Half*>(p)));
    case DType::bf16:
      return static_cast<T>(static_cast<float>(*reinterpret_cast<const BFloat16*>(p)));
    case DType::i64: return static_cast<T>(*reinterpret_cast<const std::int64_t*>(p));
    case DType::i32: return static_cast<T>(*reinterpret_cast<const std::int32_t*>(p));
    case DType::i16: return static_cast<T>(*reinterpret_cast<const std::int16_t*>(p));
    case DType::i8: return static_cast<T>(*reinterpret_cast<const std::int8_t*>(p));
    case DType::u8: return static_cast<T>(*reinterpret_cast<const std::uint8_t*>(p));
    case DType::bool_: return static_cast<T>(*reinterpret_cast<const std::uint8_t*>(p) != 0);
  }
  return T{};
}

/// C++ leaves the conversion of out-of-range floats undefined. Use the result of x86, as PyTorch
/// does.
template <class To, class From> To to_integer(From v) {
  if constexpr (std::is_floating_point_v<From>) {
    const bool fits = v >= From(-0x1p63) && v < From(0x1p63);
    return static_cast<To>(fits ? static_cast<std::int64_t>(v) : INT64_MIN);
  } else {
    return static_cast<To>(v);
  }
}

template <class T> void store(std::byte* p, DType type, T v) {
  switch (type) {
    case DType::f64: *reinterpret_cast<double*>(p) = static_cast<double>(v); break;
    case DType::f32: *reinterpret_cast<float*>(p) = static_cast<float>(v); break;
    case DType::f16: *reinterpret_cast<Half*>(p) = Half(static_cast<float>(v)); break;
    case DType::bf16: *reinterpret_cast<BFloat16*>(p) = BFloat16(static_cast<float>(v)); break;
    case DType::i64: *reinterpret_cast<std::int64_t*>(p) = to_integer<std::int64_t>(v); break;
    case DType::i32: *reinterpret_cast<std::int32_t*>(p) = to_integer<std::int32_t>(v); break;
    case DType::i16: *reinterpret_cast<std::int16_t*>(p) = to_integer<std::int16_t>(v); break;
    case DType::i8: *reinterpret_cast<std::int8_t*>(p) = to_integer<std::int8_t>(v); break;
    case DType::u8: *reinterpret_cast<std::uint8_t*>(p) = to_integer<std::uint8_t>(v); break;
    case DType::bool_: *reinterpret_cast<std::uint8_t*>(p) = v != T{}; break;
  }
}

inline void store(std::byte* p, DType type, const Scalar& v) {
  if (v.is_floating())
    store(p, type, v.to_double());
  else
    store(p, type, v.to_int());
}

/// Returns `s` as the type that a kernel computes in.
template <class T> T number(const Scalar& s) {
  if constexpr (std::is_integral_v<T>)
    return s.is_floating() ? to_integer<T>(s.to_double()) : s.to_int();
  else
    return static_cast<T>(s.to_double());
}

/// Returns `v` rounded or wrapped to `dtype`.
template <class T> T as_dtype(T v, DType dtype) {
  alignas(8) std::byte buffer[8];
  store(buffer, dtype, v);
  return load<T>(buffer, dtype);
}

/// Integers wrap around; signed overflow is undefined in C++.
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
