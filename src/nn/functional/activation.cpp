#include "taper/nn/functional/activation.h"

#include "core/check.h"
#include "core/dtype_table.h"
#include "taper/ops/rrelu.h"

namespace taper::nn::functional {
namespace {

/// Clamps without promotion: bounds of an integer tensor are converted to integers.
Tensor clamp_without_promotion(std::string_view name, const Tensor& input, Scalar min, Scalar max,
                               bool inplace) {
  const DType dtype = input.dtype();
  if (dtype == DType::bool_) fail<NotImplementedError>("{}: not implemented for 'Bool'", name);
  if (!is_floating_point(dtype)) min = min.to_int(), max = max.to_int();
  return inplace ? input.clamp_(min, max) : input.clamp(min, max);
}

}  // namespace

Tensor relu(const Tensor& input, bool inplace) { return inplace ? input.relu_() : input.relu(); }

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
  return clamp_without_promotion("hardtanh", input, min_val, max_val, inplace);
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
const Tensor& hardtanh_(const Tensor& input, const Scalar& min_val, const Scalar& max_val) {
  static_cast<void>(hardtanh(input, min_val, max_val, true));
  return input;
}

Tensor silu(const Tensor& input, bool inplace) {
  return inplace ? taper::silu_(input) : taper::silu(input);
}
Tensor mish(const Tensor& input, bool inplace) {
  return inplace ? taper::mish_(input) : taper::mish(input);
}
Tensor hardsigmoid(const Tensor& input, bool inplace) {
  return inplace ? taper::hardsigmoid_(input) : taper::hardsigmoid(input);
}
Tensor logsigmoid(const Tensor& input) { return taper::log_sigmoid(input); }
Tensor celu(const Tensor& input, const Scalar& alpha, bool inplace) {
  return inplace ? taper::celu_(input, alpha) : taper::celu(input, alpha);
}
Tensor tanhshrink(const Tensor& input) { return input - input.tanh(); }

Tensor hardshrink(const Tensor& input, const Scalar& lambd) {
  return taper::hardshrink(input, lambd);
}
Tensor softshrink(const Tensor& input, const Scalar& lambd) {
  return taper::softshrink(input, lambd);
}

Tensor softsign(const Tensor& input) { return input / (input.abs() + 1); }

Tensor relu6(const Tensor& input, bool inplace) {
  return clamp_without_promotion("relu6", input, 0, 6, inplace);
}

}  // namespace taper::nn::functional
