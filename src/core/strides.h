// Strides of dense tensors in a memory format.
#pragma once
#include <string_view>

#include "taper/core/memory_format.h"
#include "taper/core/shape.h"

namespace taper {

/// Returns the strides of a dense tensor of the given sizes. `like` are the strides whose order
/// preserve_format preserves. Throws RuntimeError if the format requires another number of
/// dimensions.
Shape strides_in_format(const Shape& sizes, const Shape& like, MemoryFormat format);

/// Returns true if the strides are those of a dense tensor in the format; false if the format
/// requires another number of dimensions. Strides of dimensions of size 1 are ignored.
bool has_strides_of_format(const Shape& sizes, const Shape& strides, MemoryFormat format);

/// Returns true if channels-last strides are recognized by their order, as by
/// Tensor::suggest_memory_format of LibTorch.
bool suggests_channels_last_strides(const Shape& sizes, const Shape& strides);

}  // namespace taper
