// Conversion of tensors to another memory format.
#pragma once
#include "taper/nn/conversion.h"

namespace taper::nn {

/// Throws RuntimeError if the tensor does not support the format. Tensors that do not have four or
/// five dimensions are not converted.
void check_format(const Tensor& t, MemoryFormat format);
Tensor formatted(const Tensor& t, MemoryFormat format);

}  // namespace taper::nn
