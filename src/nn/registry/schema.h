// Schema of a layer in the class registry: its construction from PyTorch's arguments, and the
// arguments of an object. Defined in the source file of the layer:
//
//   const ModuleSchema& module_schema(const Linear*) {
//     static constexpr ModuleSchema schema = layer_schema<Linear>(
//         "Linear", "linear", "in_features, out_features, bias=True, device=None, dtype=None",
//         [](const Arguments& a) { return Linear(...); },
//         [](const Linear& m) -> Values { return {...}; });
//     return schema;
//   }
#pragma once
#include "taper/core/api.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/nn/registry.h"

// The first declaration of a class determines its visibility, with that of its vtable.
namespace TAPER_API taper {
namespace nn {
#define LAYER(Name) class Name;
#include "nn/registry/layers.inc"
#undef LAYER
}  // namespace nn
}  // namespace taper

namespace taper::nn {

using detail::Arguments;
using detail::ModuleSchema;

#define LAYER(Name) const ModuleSchema& module_schema(const Name*);
#include "nn/registry/layers.inc"
#undef LAYER

template <class L, class Make, class Options>
constexpr ModuleSchema layer_schema(std::string_view name, std::string_view file,
                                    std::string_view signature, Make, Options) {
  return {
      name,
      file,
      signature,
      &typeid(L),
      [](const Arguments& a) -> std::shared_ptr<Module> { return std::make_shared<L>(Make()(a)); },
      [](const Module& m) { return Options()(dynamic_cast<const L&>(m)); }};
}

/// Returns the schema of a container, whose arguments are its children.
template <class C, class Make>
constexpr ModuleSchema container_schema(std::string_view name, std::string_view signature, Make) {
  return {
      name,
      "container",
      signature,
      &typeid(C),
      [](const Arguments& a) -> std::shared_ptr<Module> { return std::make_shared<C>(Make()(a)); },
      nullptr};
}

}  // namespace taper::nn

// Defines the schema of a class by a function template that takes its name.
#define TAPER_MODULE_SCHEMA(Name, function)                       \
  const ModuleSchema& module_schema(const Name*) {                \
    static constexpr ModuleSchema schema = function<Name>(#Name); \
    return schema;                                                \
  }
