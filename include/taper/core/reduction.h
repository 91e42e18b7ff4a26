// Reduction: how a loss function of taper:: reduces the losses of elements.
#pragma once
#include <cstdint>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Reductions of losses, as integers. Functions of nn::functional and layers take the strings
/// "none", "mean" and "sum" instead. PyTorch: at::Reduction.
namespace Reduction {
enum Reduction : std::int64_t {
  None,  ///< no reduction
  Mean,  ///< mean of the losses, possibly weighted
  Sum,   ///< sum of the losses
};
}  // namespace Reduction

}  // namespace taper
