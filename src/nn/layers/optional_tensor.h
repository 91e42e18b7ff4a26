// Conversion of optional tensor arguments of layers to options of functions.
#pragma once
#include <optional>

#include "taper/core/tensor.h"

namespace taper::nn {

/// Returns std::nullopt for an undefined tensor.
inline std::optional<Tensor> optional_of(const Tensor& t) {
  return t.defined() ? std::optional(t) : std::nullopt;
}

}  // namespace taper::nn
