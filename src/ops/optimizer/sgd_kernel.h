// The pass over contiguous elements behind sgd_step_.
#pragma once
#include <cstdint>

namespace taper::optimizer {

/// How the step's gradient comes about.
enum class Momentum : std::uint8_t { none, first, next };

/// One step's numbers in the type that is computed in.
template <class T> struct SgdNumbers {
  T minus_lr, momentum, keep, weight_decay;  ///< keep: 1 - dampening
  bool nesterov, maximize;
};

/// Steps elements [0, n); `buffer` is null without momentum, and is only written at the first step.
void sgd(float* param, const float* grad, float* buffer, std::int64_t n, Momentum momentum,
         const SgdNumbers<float>& numbers);
void sgd(double* param, const double* grad, double* buffer, std::int64_t n, Momentum momentum,
         const SgdNumbers<double>& numbers);

}  // namespace taper::optimizer
