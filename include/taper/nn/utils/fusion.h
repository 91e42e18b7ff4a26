// Batch normalisation folded into the layer before it, for evaluation.
#pragma once
#include <utility>

#include "taper/core/api.h"
#include "taper/core/error.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"

namespace TAPER_API taper {
namespace nn::utils {

/// {weight, bias} of a convolution that gives what the given one and an evaluating batch norm give
/// after each other. The bias, and weight and bias of the norm, may be left
/// out. `transpose`: the weight is (in, out / groups, k...). They require gradients if the given
/// weight and bias do. PyTorch: torch.nn.utils.fusion.fuse_conv_bn_weights.
std::pair<Parameter, Parameter> fuse_conv_bn_weights(
    const Tensor& conv_weight, OptionalTensorRef conv_bias, const Tensor& running_mean,
    const Tensor& running_var, double eps, OptionalTensorRef bn_weight, OptionalTensorRef bn_bias,
    bool transpose = false);
/// The same of a linear layer. PyTorch: torch.nn.utils.fusion.fuse_linear_bn_weights.
std::pair<Parameter, Parameter> fuse_linear_bn_weights(
    const Tensor& linear_weight, OptionalTensorRef linear_bias, const Tensor& running_mean,
    const Tensor& running_var, double eps, OptionalTensorRef bn_weight, OptionalTensorRef bn_bias);

namespace detail {
void check_fusion(const Module& layer, const BatchNormBase& bn);
void check_features(std::int64_t out_features, const BatchNormBase& bn);
}  // namespace detail

/// A copy of `conv` that does the work of `bn` as well. Both must be in evaluation mode. PyTorch:
/// torch.nn.utils.fusion.fuse_conv_bn_eval. Throws RuntimeError in training mode, ValueError for a
/// norm without running statistics.
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

/// The same of a linear layer. PyTorch: torch.nn.utils.fusion.fuse_linear_bn_eval. Throws also
/// ValueError unless the norm has as many features as the layer gives, or one.
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
