// A sum that begins with its first term.
#pragma once

#include "taper/core/tensor.h"

namespace taper {

/// Adds `term` to `sum`, which is undefined before its first term.
inline void add_to(Tensor& sum, const Tensor& term) { sum = sum.defined() ? sum.add(term) : term; }

}  // namespace taper
