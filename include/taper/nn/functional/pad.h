// Padding function.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of pad.
struct PadFuncOptions {
  std::string mode = "constant";  ///< "constant", "reflect", "replicate" or "circular"
  ScalarArg value = 0.0;          ///< element of the padding in mode "constant"
};
/// Pads the last dimensions of `input`. `pad` has two counts, before and after, per dimension,
/// starting with the last dimension; negative counts crop. `mode` is "constant" (fills with
/// `value`), "reflect" (reflects the input without repeating the border), "replicate" (repeats the
/// border) or "circular" (wraps around). Throws ValueError for an odd number of counts, an unknown
/// mode, or a `value` in a mode other than "constant", and ShapeError if the counts do not fit the
/// input. PyTorch: torch.nn.functional.pad.
Tensor pad(const Tensor& input, const Shape& pad, const PadFuncOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
