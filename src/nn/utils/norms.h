// The arithmetic of weight and spectral normalisation.
#pragma once
#include <cstdint>
#include <string_view>

#include "taper/nn/module.h"

namespace taper::nn::utils {

/// 2-norms along all dimensions but `dim`, each kept with size 1. -1: a single norm of all.
/// PyTorch: torch.norm_except_dim.
Tensor norm_except_dim(const Tensor& v, std::int64_t dim);
/// v (g / norm_except_dim(v)). PyTorch: torch._weight_norm.
Tensor weight_normed(const Tensor& v, const Tensor& g, std::int64_t dim);

/// `t` over its length along dimension 0, which counts as `eps` at least. PyTorch: F.normalize.
Tensor normalized(const Tensor& t, double eps);
/// (size of `dim`, all others).
Tensor as_matrix(const Tensor& weight, std::int64_t dim);
/// 1 for transposed convolutions.
std::int64_t output_dim(const Module& m);

}  // namespace taper::nn::utils
