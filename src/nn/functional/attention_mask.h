// Masks of attention layers, which exclude keys where they are true or are added to the scores.
#pragma once
#include <string_view>

#include "taper/core/tensor.h"

namespace taper::nn {

/// Returns a bool mask as additive mask of dtype `target`, and any other mask unchanged. Undefined
/// if `mask` is undefined. Throws DTypeError for a mask that is neither bool nor floating-point.
Tensor canonical_mask(const Tensor& mask, std::string_view name, DType target);

/// Emits PyTorch's warning if both masks are defined and their dtypes differ.
void warn_of_mask_types(const Tensor& mask, std::string_view name, const Tensor& other,
                        std::string_view other_name);

}  // namespace taper::nn
