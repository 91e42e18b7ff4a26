// Samples from distributions given by tensors.
#pragma once
#include "ops/random/fill.h"

namespace taper {

/// Draws samples from the Poisson distribution with the rates in `input`.
struct Poisson : RandomFill {
  static constexpr OpInfo op{.name = "poisson",
                             .node = "PoissonBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::floating,
                             .random = true,
                             .dtype_error = random_dtype_error};
  TAPER_ATTRIBUTES(generator, logical_strides)
  void infer(ShapeInference& i) const { infer_like_input(i); }
};

struct MultinomialOp {
  std::int64_t num_samples = 1;
  bool replacement = false;
  Generator generator = default_generator();

  static void dtype_error(const ShapeInference& i);
  static constexpr OpInfo op{.name = "multinomial",
                             .inputs = "input",
                             .dtypes = DTypeSet::floating,
                             .random = true,
                             .dtype_error = dtype_error};
  TAPER_ATTRIBUTES(num_samples, replacement, generator)
  void infer(ShapeInference& i) const;
};

}  // namespace taper
