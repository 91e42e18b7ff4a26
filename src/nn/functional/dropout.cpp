#include "taper/nn/functional/dropout.h"

#include "core/check.h"
#include "taper/core/warning.h"
#include "taper/ops/dropout.h"

namespace taper::nn::functional {
namespace {

void check_probability(double p) {
  if (!(p >= 0 && p <= 1))
    fail<ValueError>("dropout probability has to be between 0 and 1, but got {}", python_repr(p));
}

/// Applies feature dropout to an input whose batch dimension is absent if `batched` is false.
Tensor apply_feature_dropout(const Tensor& input, bool batched, double p, bool training,
                             bool inplace) {
  const Tensor x = batched ? input : input.unsqueeze(0);
  const Tensor y = inplace ? feature_dropout_(x, p, training) : feature_dropout(x, p, training);
  if (inplace) return input;
  return batched ? y : y.squeeze(0);
}

std::string describe_rank(const Tensor& input) { return std::to_string(input.dim()) + "D input"; }

}  // namespace

Tensor dropout(const Tensor& input, FloatArg p, bool training, bool inplace) {
  check_probability(p);
  return inplace ? dropout_(input, p, training) : taper::dropout(input, p, training);
}

Tensor dropout1d(const Tensor& input, FloatArg p, bool training, bool inplace) {
  check_probability(p);
  if (input.dim() != 2 && input.dim() != 3)
    fail<ShapeError>("dropout1d: Expected 2D or 3D input, but received a {}: got shape {}",
                     describe_rank(input), input.shape());
  return apply_feature_dropout(input, input.dim() == 3, p, training, inplace);
}

Tensor dropout2d(const Tensor& input, FloatArg p, bool training, bool inplace) {
  check_probability(p);
  if (input.dim() != 3 && input.dim() != 4)
    warn("dropout2d: Received a " + describe_rank(input) + ", expected 3 or 4 dimensions");
  return apply_feature_dropout(input, true, p, training, inplace);
}

Tensor dropout3d(const Tensor& input, FloatArg p, bool training, bool inplace) {
  check_probability(p);
  if (input.dim() != 4 && input.dim() != 5)
    warn("dropout3d: Received a " + describe_rank(input) + ", expected 4 or 5 dimensions");
  return apply_feature_dropout(input, input.dim() == 5, p, training, inplace);
}

Tensor alpha_dropout(const Tensor& input, FloatArg p, bool training, bool inplace) {
  check_probability(p);
  return inplace ? alpha_dropout_(input, p, training) : taper::alpha_dropout(input, p, training);
}

Tensor feature_alpha_dropout(const Tensor& input, FloatArg p, bool training, bool inplace) {
  check_probability(p);
  return inplace ? feature_alpha_dropout_(input, p, training)
                 : taper::feature_alpha_dropout(input, p, training);
}

}  // namespace taper::nn::functional
