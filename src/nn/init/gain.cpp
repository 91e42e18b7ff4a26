#include <cmath>
#include <string>

#include "core/check.h"
#include "taper/nn/init.h"

namespace taper::nn::init {

double calculate_gain(std::string_view nonlinearity, const std::optional<Scalar>& param) {
  for (const std::string_view neutral : {"linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
                                         "conv_transpose2d", "conv_transpose3d", "sigmoid"})
    if (nonlinearity == neutral) return 1;
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::sqrt(2.0);
  if (nonlinearity == "selu") return 3.0 / 4;
  if (nonlinearity == "leaky_relu") {
    if (param && param->kind() == Scalar::Kind::boolean)
      fail<ValueError>("calculate_gain: negative_slope {} not a valid number", param->str());
    const double slope = param ? param->to_double() : 0.01;
    return std::sqrt(2.0 / (1 + slope * slope));
  }
  fail<ValueError>("calculate_gain: Unsupported nonlinearity {}", nonlinearity);
}

}  // namespace taper::nn::init
