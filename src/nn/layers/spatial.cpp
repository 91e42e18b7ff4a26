#include "taper/nn/spatial.h"

#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(PixelShuffle)
TAPER_LAYER_MEMBERS(PixelUnshuffle)
TAPER_LAYER_MEMBERS(ChannelShuffle)
TAPER_LAYER_MEMBERS(Fold)
TAPER_LAYER_MEMBERS(Unfold)

Tensor PixelShuffle::forward(const Tensor& input) const {
  return pixel_shuffle(called(input), upscale_factor);
}
std::string PixelShuffle::extra_repr() const {
  return "upscale_factor=" + std::to_string(upscale_factor);
}
TAPER_SCHEMA(PixelShuffle, "pixelshuffle", upscale_factor)

Tensor PixelUnshuffle::forward(const Tensor& input) const {
  return pixel_unshuffle(called(input), downscale_factor);
}
std::string PixelUnshuffle::extra_repr() const {
  return "downscale_factor=" + std::to_string(downscale_factor);
}
TAPER_SCHEMA(PixelUnshuffle, "pixelshuffle", downscale_factor)

Tensor ChannelShuffle::forward(const Tensor& input) const {
  return channel_shuffle(called(input), groups);
}
std::string ChannelShuffle::extra_repr() const { return "groups=" + std::to_string(groups); }
TAPER_SCHEMA(ChannelShuffle, "channelshuffle", groups)

namespace {

UnfoldOptions blocks_of(const auto& m) {
  return {.dilation = m.dilation, .padding = m.padding, .stride = m.stride};
}
std::string blocks_text(const auto& m) {
  return "kernel_size=" + sizes_text(m.kernel_size) + ", dilation=" + sizes_text(m.dilation) +
         ", padding=" + sizes_text(m.padding) + ", stride=" + sizes_text(m.stride);
}

}  // namespace

Fold::Fold(const Shape& image_size, const Shape& kernel, const FoldOptions& o)
    : output_size(image_size),
      kernel_size(kernel),
      dilation(o.dilation),
      padding(o.padding),
      stride(o.stride) {}
Tensor Fold::forward(const Tensor& input) const {
  return functional::fold(called(input), output_size, kernel_size, blocks_of(*this));
}
std::string Fold::extra_repr() const {
  return "output_size=" + sizes_text(output_size) + ", " + blocks_text(*this);
}
TAPER_OPTIONS_SCHEMA(Fold, "fold", output_size, kernel_size)

Unfold::Unfold(const Shape& kernel, const UnfoldOptions& o)
    : kernel_size(kernel), dilation(o.dilation), padding(o.padding), stride(o.stride) {}
Tensor Unfold::forward(const Tensor& input) const {
  return functional::unfold(called(input), kernel_size, blocks_of(*this));
}
std::string Unfold::extra_repr() const { return blocks_text(*this); }
TAPER_OPTIONS_SCHEMA(Unfold, "fold", kernel_size)

}  // namespace taper::nn
