// dematerialize: reverts materialize.
#pragma once
#include "taper/core/api.h"
#include "taper/core/detail/uninitialized.h"

namespace TAPER_API taper {

/// Makes a materialized tensor uninitialized again, of the given kind, in place.
void dematerialize(const Tensor& t, LazyKind kind);

}  // namespace taper
