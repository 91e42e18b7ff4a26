#pragma once
#include "taper/ops/conv.h"

namespace taper {

/// Throws ValueError if `stride` cannot be combined with "same" padding.
void check_same(const Shape& stride);

}  // namespace taper
