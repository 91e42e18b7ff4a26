// Dropout with a given mask.
#pragma once
#include "ops/random/fill.h"

namespace taper {

/// Computes input * (mask / (1 - p)). The gradient is the same op, applied to the gradient of the
/// output.
struct Dropout {
  double p = 0.5;

  static constexpr OpInfo op{.name = "dropout",
                             .node = "MulBackward0",
                             .inputs = "input mask",
                             .dtypes = DTypeSet::floating,
                             .saved = in(1),
                             .layout = OutputLayout::propagate,
                             .broadcast = true,
                             .inplace = true,
                             .has_cpu_kernel = true,
                             .dtype_error = random_dtype_error};
  TAPER_ATTRIBUTES(p)
  void infer(ShapeInference& i) const {
    if (i.dtype(1) != DType::bool_)
      i.fail<DTypeError>("got a mask of {}, expected bool", i.dtype(1));
    i.set_output(*i.broadcast, i.dtype(0));
  }
  void backward(BackwardContext<Dropout>& b) const {
    if (b.needs_input_grad(0)) b[0] = run(*this, b.grad(), b.input<1>());
  }
};

}  // namespace taper
