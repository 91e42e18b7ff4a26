// A sum of gradients whose terms are each present or absent.
#pragma once

#include "taper/core/tensor.h"

namespace taper {

/// Adds `term` to `sum`, which is undefined before its first term.
inline void add_to(Tensor& sum, const Tensor& term) { sum = sum.defined() ? sum.add(term) : term; }

}  // namespace taper
