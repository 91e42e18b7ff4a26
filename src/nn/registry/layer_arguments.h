// Arguments of layers by the type of the field or member: read from a call in Python's form, and
// returned in that form.
#pragma once
#include <optional>
#include <string>

#include "nn/layers/text.h"
#include "taper/core/optional_fields.h"
#include "taper/nn/convert.h"
#include "taper/nn/parameter.h"
#include "taper/nn/registry.h"

namespace taper::nn {

using detail::Arguments;

/// Arguments that are stored as T. Source files specialize it for the types of their layers.
template <class T> struct ArgumentForm {
  /// Throws TypeError as the functions of Arguments.
  static T read(const Arguments& a, std::string_view name) {
    if constexpr (std::is_same_v<T, bool>)
      return a.flag(name);
    else if constexpr (std::is_same_v<T, IntArg> || std::is_same_v<T, std::int64_t>)
      return a.integer(name);
    else if constexpr (std::is_same_v<T, FloatArg> || std::is_same_v<T, double>)
      return a.number(name);
    else if constexpr (std::is_base_of_v<Scalar, T>)
      return a.scalar(name);
    else if constexpr (std::is_same_v<T, std::string>)
      return a.string(name);
    else if constexpr (std::is_same_v<T, Shape>)
      return a.sizes(name);
    else if constexpr (std::is_same_v<T, OptionalTensor>)
      return a.tensor(name);
    else
      return a[name].is_none() ? T() : T(ArgumentForm<typename T::value_type>::read(a, name));
  }
  /// Returns the value that Python stores. `tuples`: a list of one number is a tuple, not a number.
  static Value value(const T& stored, [[maybe_unused]] bool tuples) {
    if constexpr (std::is_same_v<T, std::optional<Parameter>>)
      return stored.has_value();  // the argument is a flag
    else if constexpr (std::is_base_of_v<Scalar, T>)
      return Convert<Scalar>::to(stored);
    else if constexpr (std::is_same_v<T, Shape>)
      return tuples ? tuple_value(stored) : sizes_value(stored);
    else if constexpr (std::is_same_v<T, std::optional<Shape>>)
      return stored ? ArgumentForm<Shape>::value(*stored, tuples) : Value();
    else
      return Value(Convert<T>::to(stored));
  }
};

/// Weights. A copy, so that modules created from the description do not share the weight.
template <> struct ArgumentForm<std::optional<Buffer>> {
  static Value value(const std::optional<Buffer>& stored, bool) {
    return stored ? Value(stored->detach().clone()) : Value();
  }
};

/// True for layers that store each list of sizes as a tuple.
template <class L> constexpr bool kStoresTuples = false;

}  // namespace taper::nn
