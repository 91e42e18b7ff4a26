// Samples from gamma, Dirichlet and binomial distributions given by tensors.
#pragma once
#include "taper/core/api.h"
#include "taper/core/generator.h"

namespace TAPER_API taper {
class Tensor;

// All functions draw from `generator` in row-major order. The same seed produces the values that
// PyTorch produces on the CPU. taper/distributions/distributions.h has the distributions.

/// Returns samples from the gamma distributions with the shape parameters given by `input` and
/// rate 1. The gradient is the derivative at a constant value of the cumulative distribution
/// function (implicit reparameterization). Throws ValueError unless the elements are positive.
/// PyTorch: torch._standard_gamma.
Tensor standard_gamma(const Tensor& input, const Generator& generator = default_generator());
/// Returns samples from the Dirichlet distributions with the concentrations given by `input`
/// `(..., K)`, differentiable as `standard_gamma`. Throws ValueError unless the elements are
/// positive, ShapeError for a 0-dimensional input. PyTorch: torch._sample_dirichlet.
Tensor sample_dirichlet(const Tensor& input, const Generator& generator = default_generator());
/// Returns samples from the binomial distributions with `count` trials and the probability of
/// success `prob`, tensors of the same shape and floating-point dtype. The gradient is 0. Throws
/// ValueError if a count is negative or a probability is not in [0, 1]. PyTorch: torch.binomial.
Tensor binomial(const Tensor& count, const Tensor& prob,
                const Generator& generator = default_generator());

}  // namespace taper
