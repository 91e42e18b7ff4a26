// Leaves of the tests of hooks.
#pragma once
#include "taper/core/factory.h"

namespace taper {

/// Returns a leaf of two equal elements.
inline Tensor leaf(double value) { return full({2}, value, {.requires_grad = true}); }
inline float first(const Tensor& t) { return t.data<float>()[0]; }

}  // namespace taper
