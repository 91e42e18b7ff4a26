#include "unet/unet.h"

namespace unet {

using namespace taper;

TAPER_LAYER_MEMBERS(DoubleConv, double_conv)
TAPER_LAYER_MEMBERS(Down, maxpool_conv)
TAPER_LAYER_MEMBERS(Up, up, conv)
TAPER_LAYER_MEMBERS(OutConv, conv)
TAPER_LAYER_MEMBERS(UNet, inc, down1, down2, down3, down4, up1, up2, up3, up4, outc)

DoubleConv::DoubleConv(std::int64_t in, std::int64_t out, std::int64_t mid)
    : double_conv{nn::Conv2d(in, mid, 3, {.padding = 1, .bias = false}),
                  nn::BatchNorm2d(mid),
                  nn::ReLU({.inplace = true}),
                  nn::Conv2d(mid, out, 3, {.padding = 1, .bias = false}),
                  nn::BatchNorm2d(out),
                  nn::ReLU({.inplace = true})} {}

Down::Down(std::int64_t in, std::int64_t out)
    : maxpool_conv{nn::MaxPool2d(2), DoubleConv(in, out, out)} {}

namespace {

std::shared_ptr<nn::Module> upsampling(std::int64_t channels, bool bilinear) {
  if (bilinear)
    return std::make_shared<nn::Upsample>(nn::UpsampleOptions{
        .scale_factor = std::vector<double>{2.0}, .mode = "bilinear", .align_corners = true});
  return std::make_shared<nn::ConvTranspose2d>(channels, channels / 2, 2,
                                               nn::ConvTransposeOptions{.stride = 2});
}

}  // namespace

Up::Up(std::int64_t in, std::int64_t out, bool bilinear)
    : up(upsampling(in, bilinear)), conv(in, out, bilinear ? in / 2 : out) {}

Tensor Up::forward(const Tensor& x, const Tensor& skip) const {
  const Tensor large = (*up)(x);
  const std::int64_t rows = skip.size(2) - large.size(2), columns = skip.size(3) - large.size(3);
  const Tensor padded =
      F::pad(large, {columns / 2, columns - columns / 2, rows / 2, rows - rows / 2});
  return conv(cat({skip, padded}, 1));
}

UNet::UNet(IntArg channels, IntArg classes, const UNetOptions& o)
    : inc(channels, 64, 64),
      down1(64, 128),
      down2(128, 256),
      down3(256, 512),
      down4(512, o.bilinear ? 512 : 1024),
      up1(1024, o.bilinear ? 256 : 512, o.bilinear),
      up2(512, o.bilinear ? 128 : 256, o.bilinear),
      up3(256, o.bilinear ? 64 : 128, o.bilinear),
      up4(128, 64, o.bilinear),
      outc(64, classes) {}

Tensor UNet::forward(const Tensor& images) const {
  const Tensor x1 = inc(images), x2 = down1(x1), x3 = down2(x2), x4 = down3(x3);
  return outc(up4(up3(up2(up1(down4(x4), x4), x3), x2), x1));
}

}  // namespace unet
