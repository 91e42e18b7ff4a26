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

// Arguments of messages as what the small core of fmt prints: its full header would double the time
// that most of our files take to compile.
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
std::string format_message(fmt::format_string<FormatArg<A>...> form, const A&... args) {
  return [&](const auto&... plain) {
    return fmt::vformat(form, fmt::make_format_args(plain...));
  }(format_arg(args)...);
}

template <class E> [[noreturn, gnu::cold, gnu::noinline]] void throw_formatted(std::string text) {
  throw E(text);
}
/// Throws an E with a formatted message: fail<ShapeError>("matmul: inner sizes differ: {} and {}",
/// a, b).
template <class E, class... A>
[[noreturn, gnu::cold, gnu::noinline]] void fail(fmt::format_string<FormatArg<A>...> form,
                                                 const A&... args) {
  throw_formatted<E>(format_message(form, args...));
}

/// Returns `i` counted from the front, where a negative index counts from the back; nothing if it
/// is outside of `size` elements.
constexpr std::optional<std::int64_t> wrap_index(std::int64_t i, std::int64_t size) {
  if (i < -size || i >= size) return {};
  return i < 0 ? i + size : i;
}

/// Returns the bound `i` of a slice of `size` elements as Python clips it: negative bounds count
/// from the back, and the result is in [0, size].
constexpr std::int64_t clip_bound(std::int64_t i, std::int64_t size) {
  if (i < 0) i += size;
  return i < 0 ? 0 : i > size ? size : i;
}

/// Returns `dim` counted from the front, where a negative value counts from the back. A rank of 0
/// is treated as 1. Throws IndexError if `dim` is out of range.
inline std::int64_t wrap_dim(std::int64_t dim, std::size_t rank, std::string_view op) {
  const std::int64_t n = rank == 0 ? 1 : static_cast<std::int64_t>(rank);
  const auto at = wrap_index(dim, n);
  if (!at)
    fail<IndexError>("{}: Dimension out of range (expected to be in range of [{}, {}], but got {})",
                     op, -n, n - 1, dim);
  return *at;
}

}  // namespace taper
