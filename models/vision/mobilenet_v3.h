// MobileNet v3: mobile networks found by search, with squeeze-and-excitation and hard swish (Howard
// et al., "Searching for MobileNetV3", 2019).
#pragma once
#include "vision/layers.h"

namespace vision {

/// Options of MobileNetV3.
struct MobileNetV3Options {
  taper::IntArg num_classes = 1000;
  double width_mult = 1;      ///< scales the number of channels of each layer
  bool reduced_tail = false;  ///< halves the channels of the last stage
  bool dilated = false;       ///< dilates the convolutions of the last stage instead of the stride
  /// Default: batch normalization with eps 0.001 and momentum 0.01.
  NormLayer norm_layer = batch_norm({.eps = 0.001, .momentum = 0.01});
  double dropout = 0.2;  ///< of the classifier
};

/// Tables 1 (large) and 2 (small) of the paper.
enum class MobileNetV3Size : std::uint8_t { large, small };

/// Classifies images `(N, 3, H, W)`; returns logits `(N, num_classes)`.
/// torchvision: models.MobileNetV3.
struct MobileNetV3 : taper::nn::Layer<MobileNetV3> {
  taper::nn::Sequential features;
  taper::nn::AdaptiveAvgPool2d avgpool;
  taper::nn::Sequential classifier;

  explicit MobileNetV3(MobileNetV3Size size, const MobileNetV3Options& options = {});
  TAPER_LAYER(MobileNetV3)
  taper::Tensor forward(const taper::Tensor& images) const;
};

MobileNetV3 mobilenet_v3_large(const MobileNetV3Options& options = {});
MobileNetV3 mobilenet_v3_small(const MobileNetV3Options& options = {});

}  // namespace vision
