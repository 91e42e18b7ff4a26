#include "taper/nn/functional/linear.h"

#include "ops/linalg/functions.h"

namespace taper::nn::functional {

Tensor linear(const Tensor& input, const Tensor& weight, const LinearFuncOptions& options) {
  return taper::linear(input, weight, options.bias);
}

}  // namespace taper::nn::functional
