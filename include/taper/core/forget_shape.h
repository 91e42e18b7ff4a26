// Undoing materialize.
#pragma once
#include "taper/core/uninitialized.h"

namespace taper {

/// Takes shape and elements away from a tensor that was uninitialized, in place.
void forget_shape(const Tensor& t, Lazy kind);

}  // namespace taper
