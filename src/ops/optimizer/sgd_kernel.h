// Kernel of sgd_step_ over contiguous elements.
#pragma once
#include <cstdint>

namespace taper::optimizer {

/// Use of the momentum buffer in a step: unused, initialized with the gradient, or updated.
enum class Momentum : std::uint8_t { none, first, next };

/// Coefficients of one step in the compute type.
template <class T> struct SgdCoefficients {
  T minus_lr, momentum, gradient_factor, weight_decay;  ///< gradient_factor: 1 - dampening
  bool nesterov, maximize;
};

/// Updates elements [0, n). `buffer` is null without momentum, and write-only in the first step.
void sgd(float* param, const float* grad, float* buffer, std::int64_t n, Momentum momentum,
         const SgdCoefficients<float>& coefficients);
void sgd(double* param, const double* grad, double* buffer, std::int64_t n, Momentum momentum,
         const SgdCoefficients<double>& coefficients);

}  // namespace taper::optimizer
