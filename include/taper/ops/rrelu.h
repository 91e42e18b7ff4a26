// Randomized leaky rectified linear unit.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Computes x if x >= 0, otherwise a * x. If `training` is true, `a` is drawn for each element from
/// the uniform distribution on [lower, upper); otherwise, a = (lower + upper) / 2. Throws
/// DTypeError unless the dtype is a floating-point type, ValueError if lower > upper.
/// PyTorch: torch.rrelu.
Tensor rrelu(const Tensor& input, FloatArg lower = 1.0 / 8, FloatArg upper = 1.0 / 3,
             bool training = false, const Generator& generator = default_generator());

/// Options of rrelu_.
struct RReLUInPlaceFuncOptions {
  FloatArg lower = 1.0 / 8;  ///< lower bound of the slopes
  FloatArg upper = 1.0 / 3;  ///< upper bound of the slopes
  bool training = false;     ///< draws a slope for each element
};
/// Computes rrelu in place and returns the input. PyTorch: torch.rrelu_.
const Tensor& rrelu_(const Tensor& input, const RReLUInPlaceFuncOptions& options = {},
                     const Generator& generator = default_generator());
template <std::convertible_to<FloatArg> N>
const Tensor& rrelu_(const Tensor& input, N lower, FloatArg upper = 1.0 / 3, bool training = false,
                     const Generator& generator = default_generator()) {
  return taper::rrelu_(
      input, RReLUInPlaceFuncOptions{.lower = lower, .upper = upper, .training = training},
      generator);
}

}  // namespace taper
