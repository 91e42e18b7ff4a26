// Schemas of layers, from the fields of their options, stated once by TAPER_OPTIONS. In the source
// file of the layer:
//
//   TAPER_SCHEMA(Softsign, "activation")
//   TAPER_OPTIONS_SCHEMA(Linear, "linear", in_features, out_features)
//
// The arguments are the required ones, which are listed and are data members, followed by the
// fields of LinearOptions and by device and dtype if it has them. The second argument is PyTorch's
// file, "linear" of torch.nn.modules.linear. The values of options are those of data members with
// their names, or of the options that a function `stored_options(const Linear&)` returns.
#pragma once
#include <array>
#include <string>
#include <tuple>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "nn/registry/layer_arguments.h"
#include "nn/registry/schema.h"
#include "nn/registry/signature.h"

namespace taper::nn {

/// Options of a layer without options.
struct NoFields {
  template <class Self, class F> static void taper_visit(Self&, F&&) {}
};

/// Arguments that calls accept and that are not fields: deprecated or not supported ones.
constexpr std::array<std::string_view, 6> kUnstoredArguments = {
    "size_average", "reduce", "min_value", "max_value", "process_group", "proj_size"};

template <class Options> constexpr bool kCreatesTensors = requires(Options o) {
  o.dtype, o.device;
};

/// Values of arguments by name.
using NamedArguments = std::vector<std::pair<std::string_view, Value>>;

/// Adds dtype and device of the first parameter or buffer; None if there is none.
void add_tensor_arguments(NamedArguments& arguments, const Module& m);
/// Returns a signature of required arguments, "a, b", followed by options in the order of `order`
/// ("c, *, d"), or in their own. Throws RuntimeError for a name in `order` that is not an option.
std::string layer_signature(const char* required, const NamedArguments& defaults,
                            const char* order);
/// Returns the values in the order of the signature, up to the last that is known.
Values in_order_of(const std::vector<SignatureEntry>& signature, const NamedArguments& arguments);

template <class L, class T> Value argument_value(const T& stored) {
  return ArgumentForm<T>::value(stored, kStoresTuples<L>);
}
/// Returns what `holder`, a layer L or its options, stores for the fields of the options.
template <class L, class Options, class Holder> NamedArguments arguments_of(const Holder& holder) {
  NamedArguments arguments;
  Options::taper_visit(holder, [&](std::string_view name, const auto& field) {
    arguments.emplace_back(name, argument_value<L>(field));
  });
  return arguments;
}

constexpr auto kNothingDeprecated = [](auto&, const Arguments&) {};

/// Functions of the schema of L. `Adjust(options, arguments)` reads deprecated arguments;
/// `Required` are the members of the required arguments.
template <class L, class Options, auto Adjust, auto... Required> struct LayerSchema {
  template <auto M> using Member = std::decay_t<decltype(std::declval<L&>().*M)>;

  static constexpr auto kIndices = std::make_index_sequence<sizeof...(Required)>{};

  /// Reads the required arguments, the first of the signature.
  template <std::size_t... I>
  static std::tuple<Member<Required>...> read_required([[maybe_unused]] const Arguments& a,
                                                       std::index_sequence<I...>) {
    return {ArgumentForm<Member<Required>>::read(a, a.all[I].first)...};
  }
  static std::shared_ptr<Module> make([[maybe_unused]] const Arguments& a) {
    const auto create = [](auto&&... arguments) -> std::shared_ptr<Module> {
      return std::make_shared<L>(arguments...);
    };
    auto required = read_required(a, kIndices);
    if constexpr (std::is_same_v<Options, NoFields>) {
      return std::apply(create, required);
    } else {
      Options options{};
      Options::taper_visit(options, [&](std::string_view name, auto& field) {
        field = ArgumentForm<std::decay_t<decltype(field)>>::read(a, name);
      });
      if constexpr (kCreatesTensors<Options>)
        options.dtype = a.dtype(), options.device = a.device();
      Adjust(options, a);
      return std::apply(create, std::tuple_cat(std::move(required), std::tie(options)));
    }
  }

  template <std::size_t... I>
  static void add_required(NamedArguments& arguments, [[maybe_unused]] const L& m,
                           [[maybe_unused]] const std::vector<SignatureEntry>& signature,
                           std::index_sequence<I...>) {
    (arguments.emplace_back(signature[I].name, argument_value<L>(m.*Required)), ...);
  }
  static Values values(const Module& module) {
    const L& m = dynamic_cast<const L&>(module);
    const std::vector<SignatureEntry> signature =
        parse_signature(module_schema(static_cast<const L*>(nullptr)).signature);
    NamedArguments arguments;
    if constexpr (requires { stored_options(m); })
      arguments = arguments_of<L, Options>(stored_options(m));
    else
      arguments = arguments_of<L, Options>(m);
    add_required(arguments, m, signature, kIndices);
    if constexpr (kCreatesTensors<Options>) add_tensor_arguments(arguments, m);
    return in_order_of(signature, arguments);
  }

  static const ModuleSchema& schema(std::string_view name, std::string_view file,
                                    const char* required, const char* order = nullptr) {
    static const NeverDestroyed<std::string> signature([&] {
      // Defaults are as in calls: one number for all dimensions.
      NamedArguments defaults = arguments_of<void, Options>(Options{});
      if constexpr (kCreatesTensors<Options>)
        defaults.emplace_back("device", Value()), defaults.emplace_back("dtype", Value());
      return layer_signature(required, defaults, order);
    }());
    static const ModuleSchema schema{name, file, *signature, &typeid(L), &make, &values};
    return schema;
  }
};

}  // namespace taper::nn

/// Defines the schema of a layer without options.
#define TAPER_SCHEMA(Name, file, ...) \
  TAPER_SCHEMA_AS(Name, NoFields, file, nullptr, kNothingDeprecated, __VA_ARGS__)
/// Defines the schema of a layer with options.
#define TAPER_OPTIONS_SCHEMA(Name, file, ...) \
  TAPER_SCHEMA_AS(Name, Name##Options, file, nullptr, kNothingDeprecated, __VA_ARGS__)
/// Defines the schema of a layer whose options are in the order of `order`, "a, *, b".
#define TAPER_ORDERED_SCHEMA(Name, file, order, ...) \
  TAPER_SCHEMA_AS(Name, Name##Options, file, order, kNothingDeprecated, __VA_ARGS__)
/// As TAPER_ORDERED_SCHEMA; `adjust(options, arguments)` reads deprecated arguments.
#define TAPER_SCHEMA_AS(Name, Options, file, order, adjust, ...)                                   \
  const ModuleSchema& module_schema(const Name*) {                                                 \
    using Schema = LayerSchema<Name, Options, adjust TAPER_DETAIL_PREFIXED(&Name::, __VA_ARGS__)>; \
    return Schema::schema(#Name, file, #__VA_ARGS__, order);                                       \
  }
