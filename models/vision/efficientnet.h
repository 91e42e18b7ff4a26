// EfficientNet: networks scaled in depth, width and resolution together (Tan and Le, "EfficientNet:
// Rethinking Model Scaling for Convolutional Neural Networks", 2019).
#pragma once
#include "vision/layers.h"

namespace vision {

/// Options of EfficientNet.
struct EfficientNetOptions {
  taper::IntArg num_classes = 1000;
  std::optional<double> dropout{};  ///< of the classifier; default: 0.2 for b0 and b1, 0.3 for b2
  /// Probability of dropping the last block in training; it increases linearly from 0.
  double stochastic_depth_prob = 0.2;
  NormLayer norm_layer = batch_norm();
};

/// Factors that scale the number of channels and of blocks of the network b0.
struct EfficientNetScale {
  double width = 1, depth = 1;
};

/// Classifies images `(N, 3, H, W)`; returns logits `(N, num_classes)`.
/// torchvision: models.EfficientNet.
struct EfficientNet : taper::nn::Layer<EfficientNet> {
  taper::nn::Sequential features;
  taper::nn::AdaptiveAvgPool2d avgpool;
  taper::nn::Sequential classifier;

  explicit EfficientNet(const EfficientNetScale& scale, const EfficientNetOptions& options = {});
  TAPER_LAYER(EfficientNet)
  taper::Tensor forward(const taper::Tensor& images) const;
};

EfficientNet efficientnet_b0(const EfficientNetOptions& options = {});
EfficientNet efficientnet_b1(const EfficientNetOptions& options = {});
EfficientNet efficientnet_b2(EfficientNetOptions options = {});

}  // namespace vision
