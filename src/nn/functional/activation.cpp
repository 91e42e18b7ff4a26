#include "taper/nn/functional/activation.h"

#include "core/check.h"
#include "taper/ops/rrelu.h"

namespace taper::nn::functional {

Tensor relu(const Tensor& input, bool inplace) { return inplace ? input.relu_() : input.relu(); }
const Tensor& relu_(const Tensor& input) { return input.relu_(); }

Tensor leaky_relu(const Tensor& input, FloatArg slope, bool inplace) {
  return inplace ? taper::leaky_relu_(input, slope) : taper::leaky_relu(input, slope);
}

Tensor threshold(const Tensor& input, const Scalar& limit, const Scalar& value, bool inplace) {
  return inplace ? taper::threshold_(input, limit, value) : taper::threshold(input, limit, value);
}

Tensor hardtanh(const Tensor& input, const Scalar& min_val, const Scalar& max_val, bool inplace) {
  if (min_val.to_double() > max_val.to_double())
    fail<ValueError>("hardtanh: min_val cannot be greater than max_val: got {} and {}",
                     min_val.str(), max_val.str());
  return inplace ? input.clamp_(min_val, max_val) : input.clamp(min_val, max_val);
}

Tensor rrelu(const Tensor& input, FloatArg lower, FloatArg upper, bool training, bool inplace) {
  return inplace ? taper::rrelu_(input, lower, upper, training)
                 : taper::rrelu(input, lower, upper, training);
}

Tensor elu(const Tensor& input, const Scalar& alpha, bool inplace) {
  return inplace ? taper::elu_(input, alpha) : taper::elu(input, alpha);
}
Tensor selu(const Tensor& input, bool inplace) {
  return inplace ? taper::selu_(input) : taper::selu(input);
}
Tensor hardswish(const Tensor& input, bool inplace) {
  return inplace ? taper::hardswish_(input) : taper::hardswish(input);
}
Tensor hardshrink(const Tensor& input, const Scalar& lambd) {
  return taper::hardshrink(input, lambd);
}
Tensor softshrink(const Tensor& input, const Scalar& lambd) {
  return taper::softshrink(input, lambd);
}

Tensor softsign(const Tensor& input) { return input / (input.abs() + 1); }

Tensor relu6(const Tensor& input, bool inplace) {
  return inplace ? input.clamp_(0, 6) : input.clamp(0, 6);
}

}  // namespace taper::nn::functional
