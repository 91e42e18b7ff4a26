// Padding of the last dimensions, which F::pad selects by name.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

/// Pads with `value`. `pad` has two counts, before and after, per dimension, starting with the last
/// dimension; negative counts crop. Throws ShapeError if the counts do not fit the input.
/// PyTorch: torch.constant_pad_nd.
Tensor constant_pad_nd(const Tensor& input, const Shape& pad, const Scalar& value = 0);

/// Pads with elements of `input`: its reflection at the border, without repeating it ("reflect"),
/// its border ("replicate") or its other end ("circular"). `pad` as in constant_pad_nd. Throws
/// ValueError for another mode, ShapeError if the counts do not fit the input.
/// PyTorch: torch.ops.aten.reflection_pad2d, and those of other dimensions.
Tensor border_pad(const Tensor& input, const Shape& pad, const std::string& mode);

}  // namespace taper
