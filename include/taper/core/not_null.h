// NotNull: parameter type of strings in overloads with numbers.
#pragma once
#include <concepts>
#include <type_traits>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Parameter of type T, such as std::string_view, that does not accept the literal 0, which is a
/// null pointer constant: `x.norm(0)` is the overload for numbers.
template <class T> class NotNull {
 public:
  template <class U>
  requires(!std::integral<U> &&
           std::is_convertible_v<const U&, T>) constexpr NotNull(const U& value)
      : value_(value) {}

  constexpr operator T() const noexcept { return value_; }

 private:
  T value_;
};

}  // namespace taper
