// Typed access to a Target: dispatch on the element type and rounding of results.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/check.h"
#include "core/dtype_table.h"
#include "core/random/fills.h"

namespace taper::random {

/// Type in which floating-point elements are computed: T, or float for the 16-bit types.
template <class T> using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Converts x to T: to 16-bit types through float, to integers clamped to their range (NaN becomes
/// the minimum).
template <class T> T to_element(double x) {
  if constexpr (is_narrow_float<T>) {
    return T(static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, bool>) {
    return x != 0;
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (!(x > static_cast<double>(Limits::min()))) return Limits::min();
    if (x >= std::ldexp(1.0, Limits::digits)) return Limits::max();
    return static_cast<T>(x);
  } else {
    return static_cast<T>(x);
  }
}

/// Returns x rounded to the precision of T.
template <class T> Wide<T> round_to(Wide<T> x) {
  if constexpr (is_narrow_float<T>) {
    return static_cast<float>(T(x));
  } else {
    return x;
  }
}

template <class T> T from_integer(std::int64_t x) {
  if constexpr (is_narrow_float<T>) {
    return T(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

/// Returns the largest int64 n such that T represents all integers from 0 to n.
template <class T> constexpr std::int64_t max_exact_integer() {
  if constexpr (std::is_same_v<T, bool>)
    return 1;
  else if constexpr (std::is_same_v<T, Half>)
    return std::int64_t{1} << 11;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return std::int64_t{1} << 8;
  else if constexpr (std::is_floating_point_v<T>)
    return std::int64_t{1} << std::numeric_limits<T>::digits;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return std::numeric_limits<std::int64_t>::max();  // limited by the result type
  else
    return std::numeric_limits<T>::max();
}

[[noreturn]] inline void reject_dtype(const char* op, DType dtype, const char* expected) {
  fail<DTypeError>("{}: not implemented for this element type: got {}, expected {}", op,
                   name_of(dtype), expected);
}

/// Calls f(T*) for a floating-point target. Throws DTypeError for other targets.
template <class F> void visit_floating(const char* op, Target out, F&& f) {
  visit_dtype(out.dtype, [&]<class T>(T) {
    if constexpr (is_floating_element<T>)
      f(static_cast<T*>(out.data));
    else
      reject_dtype(op, out.dtype, "a floating-point type");
  });
}

/// Calls f(T*) for a target of any element type except uint16, uint32 and uint64, for which it
/// throws DTypeError.
template <class F> void visit_any(const char* op, Target out, F&& f) {
  visit_dtype(out.dtype, [&]<class T>(T) {
    if constexpr (is_barebones_unsigned(dtype_of<T>))
      reject_dtype(op, out.dtype, "a type other than uint16, uint32 and uint64");
    else
      f(static_cast<T*>(out.data));
  });
}

/// Calls f(i, u) for i in [0, n) with a 53-bit uniform u. Generates the words in bulk.
template <class F> void for_each_uniform53(Engine& engine, std::int64_t n, F&& f) {
  constexpr std::int64_t kChunk = 512;
  std::uint32_t words[2 * kChunk];
  for (std::int64_t done = 0; done < n; done += kChunk) {
    const std::int64_t m = n - done < kChunk ? n - done : kChunk;
    engine.fill({words, static_cast<std::size_t>(2 * m)});
    for (std::int64_t i = 0; i < m; ++i)
      f(done + i, Engine::to_uniform53(std::uint64_t{words[2 * i]} << 32 | words[2 * i + 1]));
  }
}

/// Calls f(i, u) for i in [0, n) with a 24-bit uniform u. Generates the words in bulk.
template <class F> void for_each_uniform24(Engine& engine, std::int64_t n, F&& f) {
  constexpr std::int64_t kChunk = 1024;
  std::uint32_t words[kChunk];
  for (std::int64_t done = 0; done < n; done += kChunk) {
    const std::int64_t m = n - done < kChunk ? n - done : kChunk;
    engine.fill({words, static_cast<std::size_t>(m)});
    for (std::int64_t i = 0; i < m; ++i) f(done + i, Engine::to_uniform24(words[i]));
  }
}

}  // namespace taper::random
