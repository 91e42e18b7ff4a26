// Fusion of batch normalization in evaluation mode into the preceding layer.
#pragma once
#include <utility>

#include "taper/core/api.h"
#include "taper/core/error.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"

namespace TAPER_API taper {
namespace nn::utils {

/// Returns {weight, bias} of a convolution that is equivalent to the given convolution followed by
/// batch normalization in evaluation mode. conv_bias, bn_weight and bn_bias are optional. With
/// `transpose`, conv_weight is `(in, out / groups, k...)`. The results require gradients if the
/// given weight and bias do. PyTorch: torch.nn.utils.fusion.fuse_conv_bn_weights.
std::pair<Parameter, Parameter> fuse_conv_bn_weights(
    const Tensor& conv_weight, OptionalTensorRef conv_bias, const Tensor& running_mean,
    const Tensor& running_var, double eps, OptionalTensorRef bn_weight, OptionalTensorRef bn_bias,
    bool transpose = false);
/// Returns {weight, bias} of a linear layer that is equivalent to the given linear layer followed
/// by batch normalization in evaluation mode. linear_bias, bn_weight and bn_bias are optional. The
/// results require gradients if the given weight and bias do.
/// PyTorch: torch.nn.utils.fusion.fuse_linear_bn_weights.
std::pair<Parameter, Parameter> fuse_linear_bn_weights(
    const Tensor& linear_weight, OptionalTensorRef linear_bias, const Tensor& running_mean,
    const Tensor& running_var, double eps, OptionalTensorRef bn_weight, OptionalTensorRef bn_bias);

namespace detail {
/// Throws RuntimeError unless both modules are in evaluation mode, ValueError if `bn` does not have
/// running statistics.
void check_fusion(const Module& layer, const BatchNormBase& bn);
/// Throws ValueError if num_features of `bn` is neither 1 nor out_features.
void check_features(std::int64_t out_features, const BatchNormBase& bn);
}  // namespace detail

/// Returns a copy of `conv` that is equivalent to `conv` followed by `bn`. Throws RuntimeError
/// unless both are in evaluation mode, ValueError if `bn` does not have running statistics.
/// PyTorch: torch.nn.utils.fusion.fuse_conv_bn_eval.
template <class Conv>
requires std::is_base_of_v<ConvBase, Conv> Conv fuse_conv_bn_eval(const Conv& conv,
                                                                  const BatchNormBase& bn,
                                                                  bool transpose = false) {
  detail::check_fusion(conv, bn);
  Conv fused = conv.clone();
  auto [weight, bias] =
      fuse_conv_bn_weights(fused.weight, fused.bias, *bn.running_mean, *bn.running_var, bn.eps,
                           bn.weight, bn.bias, transpose);
  fused.weight = std::move(weight), fused.bias = std::move(bias);
  return fused;
}

/// Returns a copy of `linear` that is equivalent to `linear` followed by `bn`. Throws RuntimeError
/// unless both are in evaluation mode, ValueError if `bn` does not have running statistics, or if
/// its num_features is neither 1 nor linear.out_features.
/// PyTorch: torch.nn.utils.fusion.fuse_linear_bn_eval.
inline Linear fuse_linear_bn_eval(const Linear& linear, const BatchNormBase& bn) {
  detail::check_fusion(linear, bn);
  detail::check_features(linear.out_features, bn);
  Linear fused = linear.clone();
  auto [weight, bias] = fuse_linear_bn_weights(fused.weight, fused.bias, *bn.running_mean,
                                               *bn.running_var, bn.eps, bn.weight, bn.bias);
  fused.weight = std::move(weight), fused.bias = std::move(bias);
  return fused;
}

}  // namespace nn::utils
}  // namespace taper
