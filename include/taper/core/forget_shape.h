// Undoing materialize.
#pragma once
#include "taper/core/api.h"
#include "taper/core/uninitialized.h"

namespace TAPER_API taper {

/// Takes shape and elements away from a tensor that was uninitialized, in place.
void forget_shape(const Tensor& t, Lazy kind);

}  // namespace taper
