// Products of bf16 by instructions that multiply pairs (AVX512-BF16).
#pragma once
#include "cpu/gemm/gemm.h"

namespace taper::cpu {

/// Returns true if the processor has the instructions, kernels may use AVX-512, and the product is
/// large enough for them.
bool has_bf16_dot(std::int64_t m, std::int64_t n, std::int64_t k);

/// Computes the product in f32. `bias` of `g` must be null; `f32_bias` takes its place. Denormal
/// numbers are zero.
void gemm_bf16_dot(const Gemm<BFloat16, float>& g, const float* f32_bias);

}  // namespace taper::cpu
