// Ops declared in binary.inc.
#pragma once
#include "ops/pointwise/rows.h"

namespace taper {

#define BINARY TAPER_DECLARE_BINARY
#include "ops/pointwise/binary.inc"

}  // namespace taper
