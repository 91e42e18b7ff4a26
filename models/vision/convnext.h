// ConvNeXt: convolutional networks with the design of vision Transformers (Liu et al., "A ConvNet
// for the 2020s", 2022).
#pragma once
#include <array>

#include "vision/layers.h"

namespace vision {

/// Layer normalization over the channels of `(N, C, H, W)`. torchvision: LayerNorm2d of
/// models.convnext.
struct LayerNorm2d : taper::nn::LayerNorm {
  explicit LayerNorm2d(std::int64_t channels);  ///< eps 1e-6
  TAPER_DERIVED_MODULE(LayerNorm2d, taper::nn::LayerNorm)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Options of ConvNeXt.
struct ConvNeXtOptions {
  taper::IntArg num_classes = 1000;
  /// Probability of dropping the last block in training; it increases linearly from 0. Default: 0.1
  /// for tiny, 0.4 for small, 0.5 for base and large.
  std::optional<double> stochastic_depth_prob{};
  double layer_scale = 1e-6;  ///< initial factor of the branch of each block
};

/// Classifies images `(N, 3, H, W)`; returns logits `(N, num_classes)`.
/// torchvision: models.ConvNeXt.
struct ConvNeXt : taper::nn::Layer<ConvNeXt> {
  taper::nn::Sequential features;
  taper::nn::AdaptiveAvgPool2d avgpool;
  taper::nn::Sequential classifier;

  /// `depths` is the number of blocks of each stage, `channels` that of the first stage, which each
  /// of the others doubles.
  ConvNeXt(std::int64_t channels, const std::array<std::int64_t, 4>& depths,
           const ConvNeXtOptions& options = {});
  TAPER_LAYER(ConvNeXt)
  taper::Tensor forward(const taper::Tensor& images) const;
};

ConvNeXt convnext_tiny(ConvNeXtOptions options = {});
ConvNeXt convnext_small(ConvNeXtOptions options = {});
ConvNeXt convnext_base(ConvNeXtOptions options = {});
ConvNeXt convnext_large(ConvNeXtOptions options = {});

}  // namespace vision
