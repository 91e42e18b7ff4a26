// Convert: conversion between C++ types and Value for type-erased calls and hooks.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/dict.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace nn {

/// Conversion of T to and from Value. Specialize it with `static Value to(const T&)` and
/// `static T from(const Value&)` for user-defined types.
template <class T> struct Convert;

/// Type with a specialization of Convert.
template <class T>
concept Convertible = requires(const T& t, const Value& v) {
  { Convert<T>::to(t) } -> std::convertible_to<Value>;
  { Convert<T>::from(v) } -> std::convertible_to<T>;
};

template <> struct Convert<Value> {
  static const Value& to(const Value& v) { return v; }
  static const Value& from(const Value& v) { return v; }
};
template <> struct Convert<Tensor> {
  static Value to(const Tensor& t) { return t; }
  static Value to(Tensor&& t) { return std::move(t); }
  /// Returns an undefined tensor for None. The reference is valid as long as the value.
  static const Tensor& from(const Value& v) { return v.is_none() ? none() : v.as_tensor(); }

 private:
  static const Tensor& none();
};
template <> struct Convert<bool> {
  static Value to(bool v) { return v; }
  static bool from(const Value& v) { return v.as_bool(); }
};
template <std::integral I> struct Convert<I> {
  static Value to(I v) { return v; }
  static I from(const Value& v) { return static_cast<I>(v.as_int()); }
};
template <std::floating_point F> struct Convert<F> {
  static Value to(F v) { return v; }
  static F from(const Value& v) { return static_cast<F>(v.as_double()); }
};
template <> struct Convert<Scalar> {
  static Value to(const Scalar& v) { return v; }
  static Scalar from(const Value& v) {
    if (v.is_bool()) return v.as_bool();
    if (v.is_int()) return v.as_int();
    return v.as_double();
  }
};
template <> struct Convert<std::string> {
  static Value to(const std::string& v) { return v; }
  static std::string from(const Value& v) { return v.as_string(); }
};
template <> struct Convert<std::string_view> {
  static Value to(std::string_view v) { return v; }
  static std::string_view from(const Value& v) { return v.as_string(); }
};
template <> struct Convert<Shape> {
  static Value to(const Shape& v) { return v; }
  static Shape from(const Value& v) { return v.as_size(); }
};
template <> struct Convert<DType> {
  static Value to(DType v) { return v; }
  static DType from(const Value& v) { return v.as_dtype(); }
};
template <> struct Convert<Device> {
  static Value to(Device v) { return v; }
  static Device from(const Value& v) { return v.as_device(); }
};
template <Convertible T> struct Convert<std::optional<T>> {
  static Value to(const std::optional<T>& v) { return v ? Value(Convert<T>::to(*v)) : Value(); }
  static std::optional<T> from(const Value& v) {
    if (v.is_none()) return std::nullopt;
    return Convert<T>::from(v);
  }
};
template <class T> struct Convert<NotBool<T>> {
  static Value to(NotBool<T> v) { return T{v}; }
  static NotBool<T> from(const Value& v) { return Convert<T>::from(v); }
};
template <> struct Convert<OptionalTensor> {
  static Value to(const OptionalTensor& v) { return v ? Value(*v) : Value(); }
  static OptionalTensor from(const Value& v) { return Convert<Tensor>::from(v); }
};
template <> struct Convert<OptionalShape> {
  static Value to(const OptionalShape& v) { return v ? Value(*v) : Value(); }
  static OptionalShape from(const Value& v) {
    if (v.is_none()) return {};
    return Convert<Shape>::from(v);
  }
};
template <Convertible T> struct Convert<std::vector<T>> {
  static Value to(const std::vector<T>& v) {
    Values items;
    for (const auto& item : v) items.push_back(Convert<T>::to(item));
    return Value::list(std::move(items));
  }
  static std::vector<T> from(const Value& v) {
    std::vector<T> items;
    for (const Value& item : v.as_sequence()) items.push_back(Convert<T>::from(item));
    return items;
  }
};

namespace detail {
/// Returns the items of a list or tuple. Throws TypeError unless `v` has `count` items.
const Values& items_of(const Value& v, std::size_t count);
}  // namespace detail

template <Convertible... T> struct Convert<std::tuple<T...>> {
  static Value to(const std::tuple<T...>& v) {
    return std::apply(
        [](const T&... item) { return Value::tuple(Values{Value(Convert<T>::to(item))...}); }, v);
  }
  static std::tuple<T...> from(const Value& v) {
    const Values& items = detail::items_of(v, sizeof...(T));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<T...>(Convert<T>::from(items[I])...);
    }
    (std::index_sequence_for<T...>{});
  }
};
template <Convertible A, Convertible B> struct Convert<std::pair<A, B>> {
  static Value to(const std::pair<A, B>& v) {
    return Value::tuple(Values{Value(Convert<A>::to(v.first)), Value(Convert<B>::to(v.second))});
  }
  static std::pair<A, B> from(const Value& v) {
    const Values& items = detail::items_of(v, 2);
    return {Convert<A>::from(items[0]), Convert<B>::from(items[1])};
  }
};

namespace detail {

/// Assigns the value of an argument to a field of an options struct; None leaves the default.
template <class T> void set_field(T& field, const Value& v) {
  if (!v.is_none()) field = Convert<T>::from(v);
}
/// Throws TypeError: the dict has keys that are not fields.
[[noreturn]] void throw_unknown_field(const Value& fields, const char* names);

}  // namespace detail

/// Options whose fields are listed by TAPER_OPTIONS are a dict of them.
template <taper::detail::ListedOptions O> struct Convert<O> {
  static Value to(const O& options) {
    Value fields = Value::dict();
    O::taper_visit(options, [&](std::string_view name, const auto& field) {
      fields[Value(name)] = Convert<std::remove_cvref_t<decltype(field)>>::to(field);
    });
    return fields;
  }
  static O from(const Value& fields) {
    O options;
    if (fields.is_none()) return options;
    std::size_t found = 0;
    O::taper_visit(options, [&](std::string_view name, auto& field) {
      if (const Value* v = fields.as_dict().find(Value(name)))
        detail::set_field(field, *v), ++found;
    });
    if (found != fields.as_dict().size()) detail::throw_unknown_field(fields, O::taper_field_names);
    return options;
  }
};

namespace detail {

/// Returns the opaque placeholder for an object of a type that Value does not support. Hooks
/// receive it and must not replace it.
Value unconvertible_value();

/// Returns `a` as a Value; the opaque placeholder if Value does not support its type.
template <class T> Value to_value(T&& a) {
  using A = std::remove_cvref_t<T>;
  if constexpr (Convertible<A>)
    return Convert<A>::to(std::forward<T>(a));
  else if constexpr (std::is_base_of_v<Tensor, A>)
    return static_cast<const Tensor&>(a);
  else if constexpr (std::is_same_v<A, std::nullopt_t>)
    return {};
  else if constexpr (std::is_constructible_v<Value, const A&>)
    return Value(a);
  else
    return unconvertible_value();
}

/// True if a parameter or result of type P can be converted back from a Value.
template <class P>
concept RoundTrippable = Convertible<std::remove_cvref_t<P>> &&
    (!std::is_lvalue_reference_v<P> || std::is_const_v<std::remove_reference_t<P>>);

}  // namespace detail
}  // namespace nn
}  // namespace taper
