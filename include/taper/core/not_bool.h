// NotBool: parameter type of sizes, dimensions and probabilities.
#pragma once
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Parameter of type T that is implicitly convertible from and to T, but not from bool, so that
/// `x.softmax(true)` and `F::dropout(x, true)` do not compile.
template <class T> class NotBool {
 public:
  constexpr NotBool(T value) noexcept : value_(value) {}
  /// Accepts objects of classes that convert to T, as a parameter of type T would.
  template <class C>
  requires(std::is_class_v<C>&& std::is_convertible_v<const C&, T>) constexpr NotBool(
      const C& value)
      : value_(value) {}
  template <std::same_as<bool> B>
  NotBool(B) = delete;  // a bool is not a size, dimension or probability

  constexpr operator T() const noexcept { return value_; }

 private:
  T value_;
};

/// Integer parameter: a size, dimension, index or count.
using IntArg = NotBool<std::int64_t>;
/// Floating-point parameter: a probability or coefficient.
using FloatArg = NotBool<double>;

}  // namespace taper
