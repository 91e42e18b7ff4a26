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
Tensor apply_feature_dropout(const Tensor& input, bool batched, const DropoutFuncOptions& o) {
  const Tensor x = batched ? input : input.unsqueeze(0);
  const Tensor y =
      o.inplace ? feature_dropout_(x, o.p, o.training) : feature_dropout(x, o.p, o.training);
  if (o.inplace) return input;
  return batched ? y : y.squeeze(0);
}

std::string describe_rank(const Tensor& input) { return std::to_string(input.dim()) + "D input"; }

}  // namespace

Tensor dropout(const Tensor& input, const DropoutFuncOptions& o) {
  check_probability(o.p);
  return o.inplace ? dropout_(input, o.p, o.training) : taper::dropout(input, o.p, o.training);
}

Tensor dropout1d(const Tensor& input, const Dropout1dFuncOptions& o) {
  check_probability(o.p);
  if (input.dim() != 2 && input.dim() != 3)
    fail<ShapeError>("dropout1d: Expected 2D or 3D input, but received a {}: got shape {}",
                     describe_rank(input), input.shape());
  return apply_feature_dropout(input, input.dim() == 3, o);
}

Tensor dropout2d(const Tensor& input, const Dropout2dFuncOptions& o) {
  check_probability(o.p);
  if (input.dim() != 3 && input.dim() != 4)
    warn("dropout2d: Received a " + describe_rank(input) + ", expected 3 or 4 dimensions");
  return apply_feature_dropout(input, true, o);
}

Tensor dropout3d(const Tensor& input, const Dropout3dFuncOptions& o) {
  check_probability(o.p);
  if (input.dim() != 4 && input.dim() != 5)
    warn("dropout3d: Received a " + describe_rank(input) + ", expected 4 or 5 dimensions");
  return apply_feature_dropout(input, input.dim() == 5, o);
}

Tensor alpha_dropout(const Tensor& input, const AlphaDropoutFuncOptions& o) {
  check_probability(o.p);
  return o.inplace ? alpha_dropout_(input, o.p, o.training)
                   : taper::alpha_dropout(input, o.p, o.training);
}

Tensor feature_alpha_dropout(const Tensor& input, const FeatureAlphaDropoutFuncOptions& o) {
  check_probability(o.p);
  return o.inplace ? feature_alpha_dropout_(input, o.p, o.training)
                   : taper::feature_alpha_dropout(input, o.p, o.training);
}

}  // namespace taper::nn::functional
