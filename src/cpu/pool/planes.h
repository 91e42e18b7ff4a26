// Pooling of row-major (N, C, H, W) data, plane by plane.
#pragma once
#include <cstdint>

#include "cpu/pool/pool.h"

namespace taper::cpu::planes {

template <class Index> void max_forward(const Pool2d& p, const float* x, float* y, Index* indices);
template <class Index>
void max_backward(const Pool2d& p, const float* dy, const Index* indices, float* dx);
void avg_forward(const Pool2d& p, const AvgRule& rule, const float* x, float* y);
void avg_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx);

}  // namespace taper::cpu::planes
