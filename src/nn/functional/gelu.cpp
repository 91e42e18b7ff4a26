#include "taper/nn/functional/gelu.h"

#include "ops/pointwise/functions.h"

namespace taper::nn::functional {

Tensor gelu(const Tensor& input, const GELUFuncOptions& options) {
  return taper::gelu(input, options.approximate);
}

}  // namespace taper::nn::functional
