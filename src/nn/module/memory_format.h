// Conversion of tensors to another memory format.
#pragma once
#include "taper/nn/conversion.h"

namespace taper::nn {

/// Throws RuntimeError if the tensor does not support the format. Accepts tensors that
/// `to_memory_format` does not convert.
void check_memory_format(const Tensor& t, MemoryFormat format);
/// Returns `t` converted to the format. Returns tensors that are uninitialized or do not have four
/// or five dimensions unchanged.
Tensor to_memory_format(const Tensor& t, MemoryFormat format);

}  // namespace taper::nn
