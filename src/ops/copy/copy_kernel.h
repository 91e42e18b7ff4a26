// Copying elements between views on the CPU.
#pragma once
#include "core/tensor_impl.h"

namespace taper::kernel {

/// Element by element, converting; any layouts of one shape.
void copy_elements(const View& to, const View& from);
/// The same where rows can be moved or converted as a whole; false if this layout needs the other.
bool copy_fast(const View& to, const View& from);
/// True if the view's elements fill a range of memory without gaps, whatever the order of
/// dimensions.
bool same_dense_layout(const View& a, const View& b);

}  // namespace taper::kernel
