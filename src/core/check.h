// Formatted exceptions, thrown out of line, so that a check costs a comparison and a branch.
#pragma once
#include <fmt/core.h>

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

#include "taper/core/device.h"
#include "taper/core/dtype.h"
#include "taper/core/error.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace taper {

// The overloads of format_arg convert the arguments of messages to types that <fmt/core.h> formats.
// The full header of fmt would double the compile time of most files.
inline std::string format_arg(const Shape& s) { return s.str(); }
inline std::string_view format_arg(DType t) { return name_of(t); }
inline std::string format_arg(Device d) { return d.str(); }
inline std::string format_arg(const Scalar& s) { return s.str(); }
inline std::string_view format_arg(std::string_view s) { return s; }
inline std::string_view format_arg(const std::string& s) { return s; }
inline std::string_view format_arg(const char* s) { return s; }
template <class T>
requires std::is_arithmetic_v<T> T format_arg(T v) { return v; }
template <class T> T format_arg(NotBool<T> v) { return v; }
template <class T> using FormatArg = decltype(format_arg(std::declval<const T&>()));

/// Formats a message with fmt, converting the arguments by `format_arg`.
template <class... A>
std::string format_message(fmt::format_string<FormatArg<A>...> format, const A&... args) {
  return [&](const auto&... converted) {
    return fmt::vformat(format, fmt::make_format_args(converted...));
  }(format_arg(args)...);
}

template <class E> [[noreturn, gnu::cold, gnu::noinline]] void throw_formatted(std::string text) {
  throw E(text);
}
/// Throws an E with a formatted message: fail<ShapeError>("matmul: inner sizes differ: {} and {}",
/// a, b).
template <class E, class... A>
[[noreturn, gnu::cold, gnu::noinline]] void fail(fmt::format_string<FormatArg<A>...> format,
                                                 const A&... args) {
  throw_formatted<E>(format_message(format, args...));
}

/// Returns the index `i` as a non-negative index, where a negative one counts from the end. Returns
/// nullopt if `i` is out of range for `size` elements.
constexpr std::optional<std::int64_t> wrap_index(std::int64_t i, std::int64_t size) {
  if (i < -size || i >= size) return {};
  return i < 0 ? i + size : i;
}

/// Returns the bound `i` of a slice of `size` elements, clipped to [0, size] as in Python. Negative
/// bounds count from the end.
constexpr std::int64_t clip_bound(std::int64_t i, std::int64_t size) {
  if (i < 0) i += size;
  return i < 0 ? 0 : i > size ? size : i;
}

/// Returns `dim` as a non-negative dimension, where a negative one counts from the end. A rank of 0
/// is treated as 1. Throws IndexError if `dim` is out of range.
inline std::int64_t wrap_dim(std::int64_t dim, std::size_t rank, std::string_view op) {
  const std::int64_t n = rank == 0 ? 1 : static_cast<std::int64_t>(rank);
  const auto wrapped = wrap_index(dim, n);
  if (!wrapped)
    fail<IndexError>("{}: Dimension out of range (expected to be in range of [{}, {}], but got {})",
                     op, -n, n - 1, dim);
  return *wrapped;
}

}  // namespace taper
