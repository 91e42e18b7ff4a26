// VGG: convolutional networks of 3x3 convolutions (Simonyan and Zisserman, "Very Deep Convolutional
// Networks for Large-Scale Image Recognition", 2014).
#pragma once
#include <string_view>

#include "vision/layers.h"

namespace vision {

/// Options of VGG.
struct VGGOptions {
  taper::IntArg num_classes = 1000;
  bool init_weights = true;  ///< false: the initial values of the layers
  double dropout = 0.5;      ///< of the classifier
};

/// Classifies images `(N, 3, H, W)`, whose last feature map is pooled to 7x7; returns logits
/// `(N, num_classes)`. torchvision: models.VGG.
struct VGG : taper::nn::Layer<VGG> {
  taper::nn::Sequential features;
  taper::nn::AdaptiveAvgPool2d avgpool;
  taper::nn::Sequential classifier;

  explicit VGG(taper::nn::Sequential features, const VGGOptions& options = {});
  TAPER_LAYER(VGG)
  taper::Tensor forward(const taper::Tensor& images) const;
};

/// Creates the features of a configuration of the paper, 'A', 'B', 'D' or 'E'. Throws ValueError
/// for any other.
taper::nn::Sequential vgg_features(char configuration, bool batch_norm);

VGG vgg11(const VGGOptions& options = {});
VGG vgg11_bn(const VGGOptions& options = {});
VGG vgg13(const VGGOptions& options = {});
VGG vgg13_bn(const VGGOptions& options = {});
VGG vgg16(const VGGOptions& options = {});
VGG vgg16_bn(const VGGOptions& options = {});
VGG vgg19(const VGGOptions& options = {});
VGG vgg19_bn(const VGGOptions& options = {});

}  // namespace vision
