// Building blocks shared by the image classifiers of torchvision.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "taper/core/shared_function.h"
#include "taper/nn/nn.h"

namespace vision {

/// Creates the normalization layer for a number of channels.
using NormLayer = taper::SharedFunction<std::shared_ptr<taper::nn::Module>(std::int64_t channels)>;
/// Creates an activation.
using ActivationLayer = std::shared_ptr<taper::nn::Module> (*)();

NormLayer batch_norm(const taper::nn::BatchNormOptions& options = {});
NormLayer group_norm(taper::IntArg groups, const taper::nn::GroupNormOptions& options = {});
NormLayer layer_norm(const taper::nn::LayerNormOptions& options = {});

/// Creates activations that overwrite their input.
template <class Layer> std::shared_ptr<taper::nn::Module> in_place() {
  return std::make_shared<Layer>(taper::nn::ReLUOptions{.inplace = true});
}
/// Creates activations that return a new tensor.
template <class Layer> std::shared_ptr<taper::nn::Module> out_of_place() {
  return std::make_shared<Layer>();
}

/// Returns the multiple of `divisor` that is nearest to v, at least `divisor` and at least 0.9 v.
std::int64_t make_divisible(double v, std::int64_t divisor = 8);

/// Draws the weights of all convolutions of `network` from kaiming_normal_ with the fan of their
/// outputs, in the order of the modules, and sets their biases to 0.
void initialize_convolutions(taper::nn::Module& network);
/// Draws the weights of all linear layers of `network` from the normal distribution with standard
/// deviation 0.01, and sets their biases to 0.
void initialize_linear_layers(taper::nn::Module& network);

/// Options of Conv2dNormActivation.
struct ConvNormActivationOptions {
  std::int64_t kernel_size = 3, stride = 1;
  /// Default: (kernel_size - 1) / 2 * dilation, which preserves the size if stride is 1.
  std::optional<std::int64_t> padding{};
  std::int64_t groups = 1, dilation = 1;
  NormLayer norm_layer = batch_norm();
  ActivationLayer activation = in_place<taper::nn::ReLU>;  ///< null: without an activation
  bool bias = false;
};

/// Convolution, normalization and activation. torchvision: ops.Conv2dNormActivation.
struct Conv2dNormActivation : taper::nn::Layer<Conv2dNormActivation, taper::nn::Sequential> {
  Conv2dNormActivation(std::int64_t in, std::int64_t out,
                       const ConvNormActivationOptions& options = {});
  TAPER_LAYER(Conv2dNormActivation)
};

/// Scales each channel of `(N, C, H, W)` by a gate computed from the means of all channels (Hu et
/// al., "Squeeze-and-Excitation Networks", 2018). torchvision: ops.SqueezeExcitation.
struct SqueezeExcitation : taper::nn::Layer<SqueezeExcitation> {
  taper::nn::AdaptiveAvgPool2d avgpool;
  taper::nn::Conv2d fc1, fc2;
  std::shared_ptr<taper::nn::Module> activation, scale_activation;

  /// `squeezed` is the number of features between the two layers; `make_scale_activation` creates
  /// the activation of the gate.
  SqueezeExcitation(std::int64_t channels, std::int64_t squeezed, ActivationLayer make_activation,
                    ActivationLayer make_scale_activation);
  TAPER_LAYER(SqueezeExcitation)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// In training mode, sets each sample of the batch to zero with probability p and scales the others
/// by 1 / (1 - p) (Huang et al., "Deep Networks with Stochastic Depth", 2016).
/// torchvision: ops.StochasticDepth with mode "row".
struct StochasticDepth : taper::nn::Layer<StochasticDepth> {
  double p;

  /// Throws ValueError if the probability is not in [0, 1].
  explicit StochasticDepth(double probability);
  TAPER_LAYER(StochasticDepth)
  taper::Tensor forward(const taper::Tensor& x) const;
  std::string extra_repr() const override;
};

}  // namespace vision
