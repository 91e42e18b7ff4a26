// Product with a transposed weight, which PyTorch has in torch.nn.functional, not in torch:
// F::linear is its public form.
#pragma once
#include "taper/core/tensor.h"

namespace taper {

/// Returns input W^T + bias for input `(..., in)`, weight W `(out, in)` and optional bias `(out)`:
/// `(..., out)`; for a weight `(in)`: `(...)`. Throws ShapeError if sizes do not match, DTypeError
/// if the dtypes differ.
Tensor linear(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {});

}  // namespace taper
