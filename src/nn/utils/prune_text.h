// Printed form of shapes in errors of pruning.
#pragma once
#include <string>

#include "taper/core/value.h"

namespace taper::nn::utils::prune {

/// Formats a shape as "torch.Size([2, 3])".
inline std::string size_text(const Shape& shape) { return Value(shape).repr(); }

}  // namespace taper::nn::utils::prune
