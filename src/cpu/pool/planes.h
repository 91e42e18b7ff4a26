// Pooling of row-major (N, C, H, W) data, plane by plane. Planes have fewer than 2^31 elements.
#pragma once
#include <cstdint>

#include "cpu/pool/pool.h"

namespace taper::cpu::planes {

void max_forward(const Pool2d& p, const float* x, float* y, std::int64_t* indices);
void max_forward(const Pool2d& p, const float* x, float* y, std::uint8_t* taps);
void max_backward(const Pool2d& p, const float* dy, const std::int64_t* indices, float* dx);
void max_backward(const Pool2d& p, const float* dy, const std::uint8_t* taps, float* dx);
void avg_forward(const Pool2d& p, const AvgRule& rule, const float* x, float* y);
void avg_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx);

}  // namespace taper::cpu::planes
