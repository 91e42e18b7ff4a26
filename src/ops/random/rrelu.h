// Randomized leaky ReLU.
#pragma once
#include "ops/pointwise/pointwise.h"
#include "ops/random/fill.h"

namespace taper {

/// Factor of each element of the input: 1 if it is positive, otherwise a slope drawn from [lower,
/// upper).
struct RreluNoise : RandomFill {
  double lower = 1.0 / 8, upper = 1.0 / 3;

  static constexpr OpInfo op{.name = "rrelu_noise",
                             .node = "RreluNoiseBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::floating,
                             .random = true,
                             .dtype_error = random_dtype_error,
                             .public_name = "rrelu"};
  TAPER_ATTRIBUTES(lower, upper, generator, logical_strides)
  void infer(ShapeInference& i) const;
};

/// Computes input * noise if `training` is true, otherwise a leaky ReLU with slope
/// (lower + upper) / 2.
struct RreluWithNoise {
  double lower = 1.0 / 8, upper = 1.0 / 3;
  bool training = false;

  static constexpr OpInfo op =
      called("rrelu", with_dtype_error(pointwise("rrelu_with_noise", "RreluWithNoiseBackward0",
                                                 "input noise", DTypeSet::floating, in(0) | in(1)),
                                       random_dtype_error));
  TAPER_ATTRIBUTES(lower, upper, training)
  double slope() const { return (lower + upper) / 2; }
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<RreluWithNoise>& b) const;
};

}  // namespace taper
