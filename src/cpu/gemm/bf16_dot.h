// Products of bf16 by instructions that multiply pairs (AVX512-BF16).
#pragma once
#include "cpu/gemm/gemm.h"

namespace taper::cpu {

/// Returns true if the processor has the instructions, kernels may use AVX-512, and the product is
/// large enough for them.
bool has_bf16_dot(std::int64_t m, std::int64_t n, std::int64_t k);

/// Computes the product in f32 and rounds each element once if C is bf16. `f32_bias` takes the
/// place of `g.bias`. Denormal numbers are zero.
template <class C> void gemm_bf16_dot(const Gemm<BFloat16, C>& g, const float* f32_bias);

extern template void gemm_bf16_dot(const Gemm<BFloat16, float>&, const float*);
extern template void gemm_bf16_dot(const Gemm<BFloat16, BFloat16>&, const float*);

}  // namespace taper::cpu
