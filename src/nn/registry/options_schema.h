// Schemas of layers that are Configured: everything follows from the fields of the options.
#pragma once
#include <optional>
#include <string>

#include "core/never_destroyed.h"
#include "nn/registry/schema.h"
#include "nn/registry/signature.h"
#include "taper/nn/convert.h"

namespace taper::nn {

// Return the argument of a field's type. Throw TypeError as the functions of Arguments.
inline void read_argument(bool& field, const Arguments& a, std::string_view name) {
  field = a.flag(name);
}
inline void read_argument(IntArg& field, const Arguments& a, std::string_view name) {
  field = a.integer(name);
}
inline void read_argument(FloatArg& field, const Arguments& a, std::string_view name) {
  field = a.number(name);
}
inline void read_argument(ScalarArg& field, const Arguments& a, std::string_view name) {
  field = a.scalar(name);
}
inline void read_argument(std::string& field, const Arguments& a, std::string_view name) {
  field = a.string(name);
}
inline void read_argument(std::optional<IntArg>& field, const Arguments& a, std::string_view name) {
  field = a.optional_integer(name);
}

/// Returns the value of a field as Python stores it.
template <class T> Value argument_value(const T& field) {
  if constexpr (std::is_base_of_v<Scalar, T>)
    return Convert<Scalar>::to(field);
  else
    return Value(Convert<T>::to(field));
}

/// Options of a layer without arguments.
struct NoOptions {
  template <class F> void taper_visit(F&&) const {}
};
template <class L> struct OptionsOf { using Type = NoOptions; };
template <class L>
requires requires { typename L::ConfiguredBy; }
struct OptionsOf<L> {
  using Type = typename L::ConfiguredBy;
};

/// Returns the value of the field `name`; nothing if there is none, as for deprecated arguments.
template <class Options>
std::optional<Value> find_field(const Options& options, std::string_view name) {
  std::optional<Value> value;
  options.taper_visit([&](std::string_view field_name, const auto& field) {
    if (field_name == name) value = argument_value(field);
  });
  return value;
}

/// Returns a signature with the defaults of the options: of the arguments in `order`, "a, *, b", or
/// of all fields if it is null.
template <class Options> std::string options_signature(const char* order) {
  std::string text;
  const auto add = [&, defaults = Options{}](std::string_view name) {
    if (!text.empty()) text += ", ";
    text += name;
    if (name != "*") text += "=" + find_field(defaults, name).value_or(Value()).repr();
  };
  if (order)
    for (std::string_view name; !(name = taper::detail::next_name(order)).empty();) add(name);
  else
    Options{}.taper_visit([&](std::string_view name, const auto&) { add(name); });
  return text;
}

/// Creates a layer from the arguments that are fields; `Adjust(options, arguments)` then reads
/// deprecated ones.
template <class L, auto Adjust>
std::shared_ptr<Module> make_configured([[maybe_unused]] const Arguments& a) {
  using Options = typename OptionsOf<L>::Type;
  if constexpr (std::is_same_v<Options, NoOptions>) {
    return std::make_shared<L>();
  } else {
    Options options{};
    options.taper_visit([&](std::string_view name, auto& field) { read_argument(field, a, name); });
    Adjust(options, a);
    return std::make_shared<L>(options);
  }
}

/// Returns the values of the arguments up to the last one that is a field.
template <class L> Values configured_values(const Module& m) {
  Values values;
  std::size_t count = 0;
  if constexpr (!std::is_same_v<typename OptionsOf<L>::Type, NoOptions>)
    for (const SignatureEntry& e :
         parse_signature(module_schema(static_cast<const L*>(nullptr)).signature)) {
      const std::optional<Value> value = find_field(dynamic_cast<const L&>(m), e.name);
      values.push_back(value.value_or(Value()));
      if (value) count = values.size();
    }
  values.resize(count);
  return values;
}

constexpr auto kNothingDeprecated = [](auto&, const Arguments&) {};

/// Returns the schema of a layer whose arguments are its options, or that has none. `order` states
/// PyTorch's arguments if they are not the fields in their order.
template <class L, auto Adjust = kNothingDeprecated>
const ModuleSchema& options_schema(std::string_view name, std::string_view file,
                                   const char* order = nullptr) {
  static const NeverDestroyed<std::string> signature(
      options_signature<typename OptionsOf<L>::Type>(order));
  static const ModuleSchema schema{
      name, file, *signature, &typeid(L), &make_configured<L, Adjust>, &configured_values<L>};
  return schema;
}

}  // namespace taper::nn

/// Defines the schema of a layer: TAPER_OPTIONS_SCHEMA(ELU, "activation").
#define TAPER_OPTIONS_SCHEMA(Name, ...)              \
  const ModuleSchema& module_schema(const Name*) {   \
    return options_schema<Name>(#Name, __VA_ARGS__); \
  }
