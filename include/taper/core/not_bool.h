// NotBool: parameter type of sizes, dimensions and probabilities.
#pragma once
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// A number of type `T` that is passed as an argument. Converts from and to `T` implicitly, but not
/// from bool, so that `x.softmax(true)` or `F::dropout(x, true)` do not compile.
template <class T> class NotBool {
 public:
  constexpr NotBool(T value) noexcept : value_(value) {}
  /// Accepts objects that convert to `T`, as a parameter of type `T` would.
  template <class C>
  requires(std::is_class_v<C>&& std::is_convertible_v<const C&, T>) constexpr NotBool(
      const C& value)
      : value_(value) {}
  template <std::same_as<bool> B>
  NotBool(B) = delete;  // bool is not a size, dimension or probability

  constexpr operator T() const noexcept { return value_; }

 private:
  T value_;
};

/// An integer parameter: a size, a dimension, an index or a count.
using IntArg = NotBool<std::int64_t>;
/// A floating-point parameter: a probability or a coefficient.
using FloatArg = NotBool<double>;

}  // namespace taper
