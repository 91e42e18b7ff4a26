// MobileNet v2: inverted residual blocks with linear bottlenecks (Sandler et al., "MobileNetV2:
// Inverted Residuals and Linear Bottlenecks", 2018).
#pragma once
#include <vector>

#include "vision/layers.h"

namespace vision {

/// A row of Table 2 of the paper: `repeats` blocks of `channels` output channels, whose hidden
/// channels are `expand_ratio` times the input channels. The first block has the stride.
struct InvertedResidualSetting {
  double expand_ratio;
  std::int64_t channels, repeats, stride;
};

/// Options of MobileNetV2.
struct MobileNetV2Options {
  taper::IntArg num_classes = 1000;
  double width_mult = 1;  ///< scales the number of channels of each layer
  std::vector<InvertedResidualSetting> inverted_residual_setting = {
      {1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
      {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  taper::IntArg round_nearest = 8;  ///< channels are rounded to multiples of this number
  NormLayer norm_layer = batch_norm();
  double dropout = 0.2;  ///< of the classifier
};

/// Classifies images `(N, 3, H, W)`; returns logits `(N, num_classes)`.
/// torchvision: models.MobileNetV2.
struct MobileNetV2 : taper::nn::Layer<MobileNetV2> {
  taper::nn::Sequential features, classifier;

  /// Throws ValueError for an empty setting, and for a stride other than 1 and 2.
  explicit MobileNetV2(const MobileNetV2Options& options);
  TAPER_LAYER(MobileNetV2)
  taper::Tensor forward(const taper::Tensor& images) const;
};

MobileNetV2 mobilenet_v2(const MobileNetV2Options& options = {});

}  // namespace vision
