// Samples from the standard gamma distribution.
#pragma once
#include "ops/random/fill.h"

namespace taper {

/// Draws samples from the gamma distributions of scale 1 with the shapes in `input`.
struct StandardGamma {
  Generator generator = default_generator();
  Shape logical_strides{};

  static constexpr OpInfo op{.name = "_standard_gamma",
                             .inputs = "input",
                             .dtypes = DTypeSet::full_precision,
                             .random = true};
  TAPER_ATTRIBUTES(generator, logical_strides)
  void infer(ShapeInference& i) const { infer_like_input(i); }
};

}  // namespace taper
