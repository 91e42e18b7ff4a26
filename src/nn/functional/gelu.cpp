#include "taper/nn/functional/gelu.h"

#include <cmath>
#include <numbers>

#include "core/check.h"

namespace taper::nn::functional {

Tensor gelu(const Tensor& input, const std::string& approximate) {
  if (approximate != "none" && approximate != "tanh")
    fail<ValueError>("gelu: approximate argument must be either none or tanh, got '{}'",
                     approximate);
  if (!input.is_floating_point())
    fail<DTypeError>("gelu: expected a floating-point tensor, got {}", input.dtype());
  // 16-bit inputs are computed in f32.
  const bool is_narrow = size_of(input.dtype()) == 2;
  const Tensor x = is_narrow ? input.to(DType::f32) : input;
  Tensor factor;
  if (approximate == "none")
    factor = (x * (1 / std::numbers::sqrt2)).erf();
  else
    factor = ((x + x * x * x * 0.044715) * std::sqrt(2 / std::numbers::pi)).tanh();
  const Tensor y = x * 0.5 * (factor + 1);
  return is_narrow ? y.to(input.dtype()) : y;
}

}  // namespace taper::nn::functional
