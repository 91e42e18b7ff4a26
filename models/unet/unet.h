// U-Net: segmentation with skip connections (Ronneberger, Fischer and Brox, "U-Net: Convolutional
// Networks for Biomedical Image Segmentation", 2015).
//
// Channels and levels are those of the paper. As in the PyTorch implementation that is used most,
// milesial/Pytorch-UNet, whose checkpoints load, convolutions are padded and followed by batch
// normalization, so that the output has the size of the input.
#pragma once
#include "taper/nn/nn.h"

namespace unet {

/// Two 3x3 convolutions with batch normalization and ReLU.
struct DoubleConv : taper::nn::Layer<DoubleConv> {
  taper::nn::Sequential double_conv;
  DoubleConv(std::int64_t in, std::int64_t out, std::int64_t mid);
  TAPER_LAYER(DoubleConv)
  taper::Tensor forward(const taper::Tensor& x) const { return double_conv(x); }
};

/// Halves the resolution and convolves.
struct Down : taper::nn::Layer<Down> {
  taper::nn::Sequential maxpool_conv;
  Down(std::int64_t in, std::int64_t out);
  TAPER_LAYER(Down)
  taper::Tensor forward(const taper::Tensor& x) const { return maxpool_conv(x); }
};

/// Doubles the resolution, concatenates the features of the same level, and convolves.
struct Up : taper::nn::Layer<Up> {
  std::shared_ptr<taper::nn::Module> up;
  DoubleConv conv;
  /// Upsamples by bilinear interpolation, or by a transposed convolution.
  Up(std::int64_t in, std::int64_t out, bool bilinear);
  TAPER_LAYER(Up)
  /// `x` is padded to the size of `skip`.
  taper::Tensor forward(const taper::Tensor& x, const taper::Tensor& skip) const;
};

/// A 1x1 convolution.
struct OutConv : taper::nn::Layer<OutConv> {
  taper::nn::Conv2d conv;
  OutConv(std::int64_t in, std::int64_t out) : conv(in, out, 1) {}
  TAPER_LAYER(OutConv)
  taper::Tensor forward(const taper::Tensor& x) const { return conv(x); }
};

/// Options of UNet.
struct UNetOptions {
  bool bilinear = false;  ///< interpolates instead of learning the upsampling
};

/// Maps images `(N, channels, H, W)`, with H and W at least 16, to logits `(N, classes, H, W)`.
struct UNet : taper::nn::Layer<UNet> {
  DoubleConv inc;
  Down down1, down2, down3, down4;
  Up up1, up2, up3, up4;
  OutConv outc;

  UNet(taper::IntArg channels, taper::IntArg classes, const UNetOptions& options = {});
  TAPER_LAYER(UNet)
  taper::Tensor forward(const taper::Tensor& images) const;
};

}  // namespace unet
