// GELU layer.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/nn/functional/gelu.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

using GELUOptions = functional::GELUFuncOptions;

/// Computes x * P(X <= x) element-wise for a standard normal X; see functional::gelu.
/// PyTorch: torch.nn.GELU.
class GELU : public Layer<GELU, Configured<GELUOptions>> {
 public:
  explicit GELU(const GELUOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(GELU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
