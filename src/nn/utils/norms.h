// Helpers of weight and spectral normalization: norms, shapes and output dimensions of weights.
#pragma once
#include <cstdint>
#include <string_view>

#include "taper/nn/module.h"

namespace taper::nn::utils {

/// Returns the 2-norms over all dimensions except `dim`, with reduced dimensions of size 1. Returns
/// the norm of all elements if `dim` is -1. PyTorch: torch.norm_except_dim.
Tensor norm_except_dim(const Tensor& v, std::int64_t dim);
/// Returns v (g / norm_except_dim(v, dim)). PyTorch: torch._weight_norm.
Tensor apply_weight_norm(const Tensor& v, const Tensor& g, std::int64_t dim);

/// Returns `t` divided by max(norm along dimension 0, `eps`). PyTorch: F.normalize.
Tensor normalize(const Tensor& t, double eps);
/// Returns the weight as a matrix (size of `dim`, all other elements).
Tensor as_matrix(const Tensor& weight, std::int64_t dim);
/// Returns the output dimension of the weight: 1 for transposed convolutions, otherwise 0.
std::int64_t output_dim(const Module& m);

}  // namespace taper::nn::utils
