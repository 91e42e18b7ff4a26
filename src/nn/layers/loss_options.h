// Arguments shared by the losses.
#pragma once
#include <optional>
#include <string>

#include "nn/registry/layer_schema.h"
#include "taper/core/optional_fields.h"
#include "taper/nn/parameter.h"

namespace taper::nn {

/// Returns an optional weight as a buffer.
std::optional<Buffer> to_buffer(const OptionalTensor& weight);
/// Returns the argument "reduction", or its value derived from the deprecated size_average and
/// reduce.
std::string reduction_of(const Arguments& a);

/// Reads the reduction of a loss that also has the deprecated size_average and reduce.
constexpr auto kReadReduction = [](auto& options, const Arguments& a) {
  options.reduction = reduction_of(a);
};

}  // namespace taper::nn

/// Defines the schema of a loss with size_average and reduce; `order` states all arguments.
#define TAPER_LOSS_SCHEMA(Name, order) \
  TAPER_SCHEMA_AS(Name, Name##Options, "loss", order, kReadReduction)
