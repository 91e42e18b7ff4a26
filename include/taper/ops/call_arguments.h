// Types of the arguments of functions that also take an options struct at the same position.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/core/optional_fields.h"

namespace TAPER_API taper {
namespace detail {

/// Absent tensor in braces, `{}`, as an argument in place of an OptionalTensorRef. An aggregate, as
/// BracedSizes: GCC would ignore the name of a field in braces, `{.bia = b}`, that converts to a
/// class with constructors.
struct NoTensor {
  operator OptionalTensorRef() const { return {}; }
};

/// Type of an argument that is an optional tensor; `{}` is a NoTensor.
template <class T>
concept OptionalTensorArgument = std::convertible_to<const T&, OptionalTensorRef>;

/// Type of an integer argument, without a conversion from braces.
template <class T>
concept IntegerArgument = std::integral<T> && !std::same_as<T, bool>;

/// BracedSizes, or no sizes: `{}`.
struct OptionalBracedSizes {
  BracedSize taper_first{}, taper_second{}, taper_third{};
  operator Shape() const { return given_sizes({taper_first, taper_second, taper_third}); }
};

/// Type of an argument that is a Shape, one integer or, as these types, integers in braces.
template <class T>
concept SizesArgument =
    ShapeArgument<T> || std::same_as<T, BracedSizes> || std::same_as<T, OptionalBracedSizes>;

}  // namespace detail
}  // namespace taper
