// Arguments shared by the losses.
#pragma once
#include <optional>
#include <string>

#include "nn/registry/schema.h"
#include "taper/core/optional_fields.h"
#include "taper/nn/parameter.h"

namespace taper::nn {

/// Returns an optional weight as a buffer.
std::optional<Buffer> to_buffer(const OptionalTensor& weight);
/// Returns a copy, so that modules created from the description do not share the weight.
Value clone_weight(const std::optional<Buffer>& weight);
/// Returns the argument "reduction", or its value derived from the deprecated size_average and
/// reduce.
std::string reduction_of(const Arguments& a);

/// Returns the schema of a loss whose only option is the reduction.
template <class Loss> constexpr ModuleSchema reduction_schema(std::string_view name) {
  return layer_schema<Loss>(
      name, "loss", "size_average=None, reduce=None, reduction='mean'",
      [](const Arguments& a) { return Loss({.reduction = reduction_of(a)}); },
      [](const Loss& m) -> Values {
        return {{}, {}, m.reduction};
      });
}

/// Returns the schema of a loss with a weight.
template <class Loss> constexpr ModuleSchema weighted_schema(std::string_view name) {
  return layer_schema<Loss>(
      name, "loss", "weight=None, size_average=None, reduce=None, reduction='mean'",
      [](const Arguments& a) {
        return Loss({.weight = a.tensor("weight"), .reduction = reduction_of(a)});
      },
      [](const Loss& m) -> Values {
        return {clone_weight(m.weight), {}, {}, m.reduction};
      });
}

/// Returns the schema of a loss with a margin, whose default is stated by `signature`.
template <class Loss>
constexpr ModuleSchema margin_schema(std::string_view name, std::string_view signature) {
  return layer_schema<Loss>(
      name, "loss", signature,
      [](const Arguments& a) {
        return Loss({.margin = a.number("margin"), .reduction = reduction_of(a)});
      },
      [](const Loss& m) -> Values {
        return {m.margin, {}, {}, m.reduction};
      });
}

}  // namespace taper::nn
