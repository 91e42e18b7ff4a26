// Reduction of loss elements.
#pragma once
#include <string>
#include <string_view>

#include "core/check.h"
#include "taper/core/not_bool.h"
#include "taper/core/reduction.h"

namespace taper {
class Tensor;

/// Parses a reduction name. Throws ValueError naming `op` unless it is "none", "mean" or "sum".
inline Reduction::Reduction reduction_of(const std::string& name, std::string_view op) {
  if (name == "mean") return Reduction::Mean;
  if (name == "sum") return Reduction::Sum;
  if (name == "none") return Reduction::None;
  fail<ValueError>("{}: {} is not a valid value for reduction", op, name);
}

/// Returns a reduction given as an integer. Throws ValueError naming `op` for other integers.
inline Reduction::Reduction reduction_of(IntArg value, std::string_view op) {
  if (value < Reduction::None || value > Reduction::Sum)
    fail<ValueError>("{}: {} is not a valid value for reduction", op,
                     static_cast<std::int64_t>(value));
  return static_cast<Reduction::Reduction>(static_cast<std::int64_t>(value));
}

/// Returns the loss elements, their mean or their sum.
Tensor reduce_terms(const Tensor& terms, Reduction::Reduction reduction);

}  // namespace taper
