// DenseNet: densely connected convolutional networks (Huang, Liu, van der Maaten and Weinberger,
// "Densely Connected Convolutional Networks", 2016), with bottlenecks and compression
// (DenseNet-BC).
#pragma once
#include <vector>

#include "vision/layers.h"

namespace vision {

/// Options of DenseNet.
struct DenseNetOptions {
  taper::IntArg bn_size = 4;  ///< channels of a bottleneck divided by the growth rate
  double drop_rate = 0;       ///< dropout after each dense layer
  taper::IntArg num_classes = 1000;
  /// Recomputes bottlenecks in the backward pass instead of storing them (Pleiss et al., 2017).
  /// Their first batch normalization then updates its running statistics twice per step.
  bool memory_efficient = false;
};

/// Classifies images `(N, 3, H, W)`; returns logits `(N, num_classes)`.
/// torchvision: models.DenseNet.
struct DenseNet : taper::nn::Layer<DenseNet> {
  taper::nn::Sequential features;
  taper::nn::Linear classifier;

  /// Each dense layer adds `growth_rate` channels; `block_config` is the number of layers of each
  /// dense block, `num_init_features` the number of channels of the first convolution.
  explicit DenseNet(taper::IntArg growth_rate = 32,
                    const std::vector<std::int64_t>& block_config = {6, 12, 24, 16},
                    taper::IntArg num_init_features = 64, const DenseNetOptions& options = {});
  TAPER_LAYER(DenseNet)
  taper::Tensor forward(const taper::Tensor& images) const;
  /// Loads files of torchvision's first versions, too, with keys such as
  /// `denselayer1.norm.1.weight`.
  void load_from_state_dict(taper::nn::LoadState& state) override;
};

DenseNet densenet121(const DenseNetOptions& options = {});
DenseNet densenet161(const DenseNetOptions& options = {});
DenseNet densenet169(const DenseNetOptions& options = {});
DenseNet densenet201(const DenseNetOptions& options = {});

}  // namespace vision
