#pragma once
#include "ops/pool/window.h"

namespace taper {

/// Maxima of regions that divide the last two dimensions evenly, and their positions h * W + w.
struct AdaptiveMaxPool2d {
  Shape output_size{1};
  TAPER_ATTRIBUTES(output_size)
  static constexpr OpInfo op{.name = "adaptive_max_pool2d",
                             .node = "AdaptiveMaxPool2DBackward0",
                             .inputs = "input",
                             .outputs = "output indices",
                             .dtypes = DTypeSet::floating,
                             .saved = out(1),
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<AdaptiveMaxPool2d>& b) const;
};

}  // namespace taper
