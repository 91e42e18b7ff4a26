// Arguments shared by the losses.
#pragma once
#include <optional>
#include <string>

#include "nn/registry/options_schema.h"
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

/// Reads the reduction of a loss that also has the deprecated size_average and reduce.
constexpr auto kReadReduction = [](auto& options, const Arguments& a) {
  options.reduction = reduction_of(a);
};

}  // namespace taper::nn

/// Defines the schema of a loss with size_average and reduce; `order` states all arguments.
#define TAPER_LOSS_SCHEMA(Name, order)                                 \
  const ModuleSchema& module_schema(const Name*) {                     \
    return options_schema<Name, kReadReduction>(#Name, "loss", order); \
  }
