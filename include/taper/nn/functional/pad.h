// Padding.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Lengthens the last dimensions of `input`: `pad` holds two counts for each, before and after, the
/// last dimension first; negative counts cut. `mode` is "constant" (filled with `value`),
/// "reflect" (mirrored at the border, which is not repeated), "replicate" (the border repeated) or
/// "circular". PyTorch: F.pad. Throws ValueError for an odd number of counts, another mode, or a
/// value beside a mode that has none, and ShapeError for counts that do not fit.
Tensor pad(const Tensor& input, const Shape& pad, const std::string& mode = "constant",
           const Scalar& value = 0.0);

}  // namespace nn::functional
}  // namespace taper
