// ResNet: deep residual networks (He, Zhang, Ren and Sun, "Deep Residual Learning for Image
// Recognition", 2015), ResNeXt (Xie et al., 2016) and wide ResNets (Zagoruyko and Komodakis, 2016).
#pragma once
#include <array>

#include "vision/layers.h"

namespace vision {

/// Options of ResNet.
struct ResNetOptions {
  taper::IntArg num_classes = 1000;
  /// Initializes the last normalization of each block to zero, so that the block is the identity.
  bool zero_init_residual = false;
  /// Groups of the 3x3 convolutions of bottleneck blocks, and their channels per group for 64
  /// output channels: ResNeXt and wide ResNets.
  taper::IntArg groups = 1, width_per_group = 64;
  /// Dilates the convolutions of layers 2, 3 and 4 instead of halving the resolution.
  std::array<bool, 3> replace_stride_with_dilation{};
  NormLayer norm_layer = batch_norm();
};

/// Dimensions of a residual block.
struct ResidualBlockOptions {
  std::int64_t inplanes, planes, stride = 1, groups = 1, base_width = 64, dilation = 1;
};

/// Two 3x3 convolutions with a shortcut: `(N, inplanes, H, W)` to `(N, planes, H', W')`.
struct BasicBlock : taper::nn::Layer<BasicBlock> {
  static constexpr std::int64_t expansion = 1;
  taper::nn::Conv2d conv1;
  std::shared_ptr<taper::nn::Module> bn1;
  taper::nn::ReLU relu;
  taper::nn::Conv2d conv2;
  std::shared_ptr<taper::nn::Module> bn2;
  bool has_downsample;  ///< the shortcut is the child "downsample" instead of the identity

  /// `downsample` is null for the identity. Throws ValueError unless groups is 1 and base_width 64,
  /// NotImplementedError for a dilation.
  BasicBlock(const ResidualBlockOptions& options, std::shared_ptr<taper::nn::Module> downsample,
             const NormLayer& norm_layer);
  TAPER_LAYER(BasicBlock)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Convolutions 1x1, 3x3 and 1x1 with a shortcut: `(N, inplanes, H, W)` to
/// `(N, 4 planes, H', W')`. The 3x3 convolution has the stride ("ResNet v1.5").
struct Bottleneck : taper::nn::Layer<Bottleneck> {
  static constexpr std::int64_t expansion = 4;
  taper::nn::Conv2d conv1;
  std::shared_ptr<taper::nn::Module> bn1;
  taper::nn::Conv2d conv2;
  std::shared_ptr<taper::nn::Module> bn2;
  taper::nn::Conv2d conv3;
  std::shared_ptr<taper::nn::Module> bn3;
  taper::nn::ReLU relu;
  bool has_downsample;  ///< the shortcut is the child "downsample" instead of the identity

  /// `downsample` is null for the identity.
  Bottleneck(const ResidualBlockOptions& options, std::shared_ptr<taper::nn::Module> downsample,
             const NormLayer& norm_layer);
  TAPER_LAYER(Bottleneck)
  taper::Tensor forward(const taper::Tensor& x) const;
};

enum class ResidualBlock : std::uint8_t { basic, bottleneck };

/// Classifies images `(N, 3, H, W)`; returns logits `(N, num_classes)`.
/// torchvision: models.ResNet.
struct ResNet : taper::nn::Layer<ResNet> {
  taper::nn::Conv2d conv1;
  std::shared_ptr<taper::nn::Module> bn1;
  taper::nn::ReLU relu;
  taper::nn::MaxPool2d maxpool;
  taper::nn::Sequential layer1, layer2, layer3, layer4;
  taper::nn::AdaptiveAvgPool2d avgpool;
  taper::nn::Linear fc;

  /// `layers` is the number of blocks of each layer.
  ResNet(ResidualBlock block, const std::array<std::int64_t, 4>& layers,
         const ResNetOptions& options = {});
  TAPER_LAYER(ResNet)
  taper::Tensor forward(const taper::Tensor& images) const;

 private:
  struct LayerFactory;
  ResNet(LayerFactory make_layer, const std::array<std::int64_t, 4>& layers);
};

ResNet resnet18(const ResNetOptions& options = {});
ResNet resnet34(const ResNetOptions& options = {});
ResNet resnet50(const ResNetOptions& options = {});
ResNet resnet101(const ResNetOptions& options = {});
ResNet resnet152(const ResNetOptions& options = {});
// The functions below set groups and width_per_group; those of wide ResNets the latter only.
ResNet resnext50_32x4d(ResNetOptions options = {});
ResNet resnext101_32x8d(ResNetOptions options = {});
ResNet resnext101_64x4d(ResNetOptions options = {});
ResNet wide_resnet50_2(ResNetOptions options = {});
ResNet wide_resnet101_2(ResNetOptions options = {});

}  // namespace vision
