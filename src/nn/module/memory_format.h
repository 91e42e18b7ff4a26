// Tensors in another memory format.
#pragma once
#include "taper/nn/conversion.h"

namespace taper::nn {

/// Can the tensor take this format? Throws RuntimeError. Others than of four and five dimensions
/// keep theirs.
void check_format(const Tensor& t, MemoryFormat format);
Tensor formatted(const Tensor& t, MemoryFormat format);

}  // namespace taper::nn
