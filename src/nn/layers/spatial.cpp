#include "taper/nn/spatial.h"

#include "nn/layers/text.h"
#include "nn/registry/schema.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(PixelShuffle)
TAPER_LAYER_MEMBERS(PixelUnshuffle)
TAPER_LAYER_MEMBERS(ChannelShuffle)
TAPER_LAYER_MEMBERS(Fold)
TAPER_LAYER_MEMBERS(Unfold)

Tensor PixelShuffle::forward(const Tensor& input) const {
  return pixel_shuffle(input, upscale_factor);
}
std::string PixelShuffle::extra_repr() const {
  return "upscale_factor=" + std::to_string(upscale_factor);
}
const ModuleSchema& module_schema(const PixelShuffle*) {
  static constexpr ModuleSchema schema = layer_schema<PixelShuffle>(
      "PixelShuffle", "pixelshuffle", "upscale_factor",
      [](const Arguments& a) { return PixelShuffle(a.integer("upscale_factor")); },
      [](const PixelShuffle& m) -> Values { return {m.upscale_factor}; });
  return schema;
}

Tensor PixelUnshuffle::forward(const Tensor& input) const {
  return pixel_unshuffle(input, downscale_factor);
}
std::string PixelUnshuffle::extra_repr() const {
  return "downscale_factor=" + std::to_string(downscale_factor);
}
const ModuleSchema& module_schema(const PixelUnshuffle*) {
  static constexpr ModuleSchema schema = layer_schema<PixelUnshuffle>(
      "PixelUnshuffle", "pixelshuffle", "downscale_factor",
      [](const Arguments& a) { return PixelUnshuffle(a.integer("downscale_factor")); },
      [](const PixelUnshuffle& m) -> Values { return {m.downscale_factor}; });
  return schema;
}

Tensor ChannelShuffle::forward(const Tensor& input) const { return channel_shuffle(input, groups); }
std::string ChannelShuffle::extra_repr() const { return "groups=" + std::to_string(groups); }
const ModuleSchema& module_schema(const ChannelShuffle*) {
  static constexpr ModuleSchema schema = layer_schema<ChannelShuffle>(
      "ChannelShuffle", "channelshuffle", "groups",
      [](const Arguments& a) { return ChannelShuffle(a.integer("groups")); },
      [](const ChannelShuffle& m) -> Values { return {m.groups}; });
  return schema;
}

namespace {

UnfoldOptions blocks_of(const auto& m) {
  return {.dilation = m.dilation, .padding = m.padding, .stride = m.stride};
}
UnfoldOptions sliding_blocks(const Arguments& a) {
  return {
      .dilation = a.sizes("dilation"), .padding = a.sizes("padding"), .stride = a.sizes("stride")};
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
  return functional::fold(input, output_size, kernel_size, blocks_of(*this));
}
std::string Fold::extra_repr() const {
  return "output_size=" + sizes_text(output_size) + ", " + blocks_text(*this);
}
const ModuleSchema& module_schema(const Fold*) {
  static constexpr ModuleSchema schema = layer_schema<Fold>(
      "Fold", "fold", "output_size, kernel_size, dilation=1, padding=0, stride=1",
      [](const Arguments& a) {
        return Fold(a.sizes("output_size"), a.sizes("kernel_size"), sliding_blocks(a));
      },
      [](const Fold& m) -> Values {
        return {sizes_value(m.output_size), sizes_value(m.kernel_size), sizes_value(m.dilation),
                sizes_value(m.padding), sizes_value(m.stride)};
      });
  return schema;
}

Unfold::Unfold(const Shape& kernel, const UnfoldOptions& o)
    : kernel_size(kernel), dilation(o.dilation), padding(o.padding), stride(o.stride) {}
Tensor Unfold::forward(const Tensor& input) const {
  return functional::unfold(input, kernel_size, blocks_of(*this));
}
std::string Unfold::extra_repr() const { return blocks_text(*this); }
const ModuleSchema& module_schema(const Unfold*) {
  static constexpr ModuleSchema schema = layer_schema<Unfold>(
      "Unfold", "fold", "kernel_size, dilation=1, padding=0, stride=1",
      [](const Arguments& a) { return Unfold(a.sizes("kernel_size"), sliding_blocks(a)); },
      [](const Unfold& m) -> Values {
        return {sizes_value(m.kernel_size), sizes_value(m.dilation), sizes_value(m.padding),
                sizes_value(m.stride)};
      });
  return schema;
}

}  // namespace taper::nn
