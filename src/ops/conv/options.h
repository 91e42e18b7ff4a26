#pragma once
#include "taper/ops/conv.h"

namespace taper {

/// Throws ValueError for a stride that "same" padding does not go with.
void check_same(const Shape& stride);

}  // namespace taper
