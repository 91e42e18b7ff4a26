#include "taper/nn/functional/activation.h"

#include "core/check.h"
#include "core/dtype_table.h"
#include "core/named_call.h"
#include "ops/pointwise/functions.h"

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

Tensor relu(const Tensor& input, const ReLUFuncOptions& o) {
  return o.inplace ? input.relu_() : input.relu();
}
Tensor relu6(const Tensor& input, const ReLU6FuncOptions& o) {
  return clamp_without_promotion("relu6", input, 0, 6, o.inplace);
}
Tensor selu(const Tensor& input, const SELUFuncOptions& o) {
  return named_call("selu", [&] { return o.inplace ? taper::selu_(input) : taper::selu(input); });
}
Tensor hardswish(const Tensor& input, const HardswishFuncOptions& o) {
  return o.inplace ? taper::hardswish_(input) : taper::hardswish(input);
}
Tensor silu(const Tensor& input, const SiLUFuncOptions& o) {
  return o.inplace ? taper::silu_(input) : taper::silu(input);
}
Tensor mish(const Tensor& input, const MishFuncOptions& o) {
  return o.inplace ? taper::mish_(input) : taper::mish(input);
}
Tensor hardsigmoid(const Tensor& input, const HardsigmoidFuncOptions& o) {
  return o.inplace ? taper::hardsigmoid_(input) : taper::hardsigmoid(input);
}

Tensor leaky_relu(const Tensor& input, const LeakyReLUFuncOptions& o) {
  return o.inplace ? taper::leaky_relu_(input, o.negative_slope)
                   : taper::leaky_relu(input, o.negative_slope);
}
Tensor threshold(const Tensor& input, const Scalar& limit, const Scalar& value,
                 const ThresholdFuncOptions& o) {
  return o.inplace ? taper::threshold_(input, limit, value) : taper::threshold(input, limit, value);
}
Tensor hardtanh(const Tensor& input, const HardtanhFuncOptions& o) {
  if (o.min_val.to_double() > o.max_val.to_double())
    fail<ValueError>("hardtanh: min_val cannot be greater than max_val: got {} and {}",
                     o.min_val.str(), o.max_val.str());
  return clamp_without_promotion("hardtanh", input, o.min_val, o.max_val, o.inplace);
}
Tensor elu(const Tensor& input, const ELUFuncOptions& o) {
  return o.inplace ? taper::elu_(input, o.alpha) : taper::elu(input, o.alpha);
}
Tensor celu(const Tensor& input, const CELUFuncOptions& o) {
  return o.inplace ? taper::celu_(input, o.alpha) : taper::celu(input, o.alpha);
}
Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& o) {
  return taper::softshrink(input, o.lambd);
}
Tensor rrelu(const Tensor& input, const RReLUFuncOptions& o) {
  return o.inplace ? taper::rrelu_(input, o.lower, o.upper, o.training)
                   : taper::rrelu(input, o.lower, o.upper, o.training);
}
Tensor softplus(const Tensor& input, const SoftplusFuncOptions& o) {
  return taper::softplus(input, o.beta, o.threshold);
}
Tensor glu(const Tensor& input, const GLUFuncOptions& o) { return taper::glu(input, o.dim); }

Tensor softsign(const Tensor& input) {
  return named_call("softsign", [&] { return input / (input.abs() + 1); });
}
Tensor logsigmoid(const Tensor& input) {
  return named_call("logsigmoid", [&] { return taper::log_sigmoid(input); });
}
Tensor tanhshrink(const Tensor& input) {
  return named_call("tanhshrink", [&] { return input - input.tanh(); });
}

const Tensor& leaky_relu_(const Tensor& input, const LeakyReLUInPlaceFuncOptions& o) {
  return taper::leaky_relu_(input, o.negative_slope);
}
const Tensor& hardtanh_(const Tensor& input, const HardtanhInPlaceFuncOptions& o) {
  static_cast<void>(hardtanh(input, {.min_val = o.min_val, .max_val = o.max_val, .inplace = true}));
  return input;
}
const Tensor& elu_(const Tensor& input, const ELUInPlaceFuncOptions& o) {
  return taper::elu_(input, o.alpha);
}

}  // namespace taper::nn::functional
