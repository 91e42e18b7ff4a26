// Padding of the last dimensions with a constant.
#pragma once
#include "taper/core/api.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

/// Pads with `value`. `pad` has two counts, before and after, per dimension, starting with the last
/// dimension; negative counts crop. Throws ShapeError if the counts do not fit the input.
/// PyTorch: torch.constant_pad_nd.
Tensor constant_pad_nd(const Tensor& input, const Shape& pad, const Scalar& value = 0);

}  // namespace taper
