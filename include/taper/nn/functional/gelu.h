// Gaussian error linear unit.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of gelu and nn::GELU.
struct GELUFuncOptions {
  std::string approximate = "none";  ///< "none" or "tanh"
  TAPER_OPTIONS(approximate)
};
/// Computes x * P(X <= x) element-wise for a standard normal X; with `approximate` "tanh",
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))). Throws DTypeError for integers,
/// ValueError for any other `approximate`. PyTorch: torch.nn.functional.gelu.
Tensor gelu(const Tensor& input, const GELUFuncOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
