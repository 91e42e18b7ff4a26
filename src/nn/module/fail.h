// Throwing with a text that is put together where it is thrown, out of line.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "taper/core/error.h"
#include "taper/core/tensor.h"

namespace taper::nn {

/// `form` with each {} replaced by the next of `parts`.
std::string filled(std::string_view form, std::initializer_list<std::string> parts);

inline std::string said(std::string_view s) { return std::string(s); }
inline std::string said(DType t) { return std::string(name_of(t)); }
template <class T>
requires std::is_integral_v<T> std::string said(T v) { return std::to_string(v); }
// Templates, because much converts to a shape or a device.
template <class T>
requires std::is_same_v<T, Shape> || std::is_same_v<T, Device> std::string said(const T& v) {
  return v.str();
}

template <class... A> std::string text_of(std::string_view form, const A&... args) {
  return filled(form, {said(args)...});
}
/// fail<KeyError>("attribute '{}' already exists", name)
template <class E, class... A>
[[noreturn, gnu::cold, gnu::noinline]] void fail(std::string_view form, const A&... args) {
  throw E(text_of(form, args...));
}

}  // namespace taper::nn
