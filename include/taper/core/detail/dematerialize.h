// forget_shape: reverts materialize.
#pragma once
#include "taper/core/api.h"
#include "taper/core/detail/uninitialized.h"

namespace TAPER_API taper {

/// Makes a materialized tensor uninitialized again, in place.
void forget_shape(const Tensor& t, Lazy kind);

}  // namespace taper
