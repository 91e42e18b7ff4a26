// Reduction of loss elements.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"

namespace taper {
class Tensor;

enum class Reduction : std::uint8_t { none, mean, sum };

/// Parses a reduction name. Throws ValueError naming `op` unless it is "none", "mean" or "sum".
inline Reduction reduction_of(const std::string& name, std::string_view op) {
  if (name == "mean") return Reduction::mean;
  if (name == "sum") return Reduction::sum;
  if (name == "none") return Reduction::none;
  fail<ValueError>("{}: {} is not a valid value for reduction", op, name);
}

/// Returns the loss elements, their mean or their sum.
Tensor reduce_terms(const Tensor& terms, Reduction reduction);

}  // namespace taper
