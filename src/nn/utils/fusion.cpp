#include "taper/nn/utils/fusion.h"

#include "core/check.h"

#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper::nn::utils {
namespace {

/// Returns the weight and bias of a layer that includes the normalization. `dim` is the dimension
/// of the weight's outputs.
std::pair<Parameter, Parameter> fuse(const Tensor& weight, OptionalTensorRef given_bias,
                                     const Tensor& mean, const Tensor& var, double eps,
                                     OptionalTensorRef scale, OptionalTensorRef shift,
                                     std::size_t dim) {
  const NoGrad guard;
  const Tensor bias = given_bias ? *given_bias : zeros_like(mean);
  Tensor factor = (var + eps).rsqrt();
  if (scale) factor = factor * *scale;
  Tensor fused_bias = (bias - mean) * factor;
  if (shift) fused_bias = fused_bias + *shift;
  Shape broadcast_shape = Shape::filled(static_cast<std::size_t>(weight.dim()), 1);
  broadcast_shape[dim] = -1;
  return {
      Parameter((weight * factor.view(broadcast_shape)).to(weight.dtype()), weight.requires_grad()),
      Parameter(fused_bias.to(bias.dtype()), bias.requires_grad())};
}

}  // namespace

std::pair<Parameter, Parameter> fuse_conv_bn_weights(const Tensor& conv_weight,
                                                     OptionalTensorRef conv_bias,
                                                     const Tensor& running_mean,
                                                     const Tensor& running_var, double eps,
                                                     OptionalTensorRef bn_weight,
                                                     OptionalTensorRef bn_bias, bool transpose) {
  return fuse(conv_weight, conv_bias, running_mean, running_var, eps, bn_weight, bn_bias,
              transpose ? 1 : 0);
}

std::pair<Parameter, Parameter> fuse_linear_bn_weights(
    const Tensor& linear_weight, OptionalTensorRef linear_bias, const Tensor& running_mean,
    const Tensor& running_var, double eps, OptionalTensorRef bn_weight, OptionalTensorRef bn_bias) {
  return fuse(linear_weight, linear_bias, running_mean, running_var, eps, bn_weight, bn_bias, 0);
}

void detail::check_fusion(const Module& layer, const BatchNormBase& bn) {
  if (layer.training || bn.training) fail<RuntimeError>("Fusion only for eval!");
  if (!bn.running_mean || !bn.running_var)
    fail<ValueError>("Fusion requires running_mean and running_var, which are None in {}",
                     bn.str());
}

void detail::check_features(std::int64_t out_features, const BatchNormBase& bn) {
  if (bn.num_features != out_features && bn.num_features != 1)
    fail<ValueError>(
        "To fuse, linear.out_features == bn.num_features or bn.num_features == 1: got {} and {}",
        out_features, bn.num_features);
}

}  // namespace taper::nn::utils
