#include "taper/nn/functional/gelu.h"

#include "taper/ops/activation.h"

namespace taper::nn::functional {

Tensor gelu(const Tensor& input, const std::string& approximate) {
  return taper::gelu(input, approximate);
}

}  // namespace taper::nn::functional
