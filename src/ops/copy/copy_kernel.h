// CPU kernels that copy elements between views.
#pragma once
#include "core/tensor_impl.h"

namespace taper::kernel {

/// Copies and converts one element at a time. Both views have the same shape and may have any
/// strides.
void copy_elements(const View& to, const View& from);
/// As copy_elements, for layouts in which whole rows can be copied or converted at once. Returns
/// false for other layouts.
bool copy_fast(const View& to, const View& from);
/// Returns true if both views have the same strides and their elements fill a range of memory
/// without gaps, in any order of dimensions.
bool same_dense_layout(const View& a, const View& b);

}  // namespace taper::kernel
