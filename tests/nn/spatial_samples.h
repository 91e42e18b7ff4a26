// Samples of layers that rearrange or resample spatial dimensions.
#pragma once
#include "layer_samples.h"

namespace layer_samples {

/// Appends the samples, with a value for each argument.
inline std::vector<Sample> spatial_layer_samples(std::vector<Sample> all) {
  const Value size = pair_of(3, 4), factors = Value::tuple({2.0, 1.5});
  const Value blocks = kw({{"dilation", 2}, {"padding", 1}, {"stride", pair_of(3, 1)}});
  Value fold = kw({{"output_size", size}, {"kernel_size", 2}}), unfold = kw({{"kernel_size", 2}});
  for (const auto& [name, value] : blocks.as_dict())
    fold.as_dict().set(name, value), unfold.as_dict().set(name, value);
  const std::vector<Sample> more{
      {"AdaptiveAvgPool1d", kw({{"output_size", 7}}), "AdaptiveAvgPool1d(output_size=7)"},
      {"AdaptiveAvgPool3d", kw({{"output_size", Value::tuple({Value(), 7, 2})}}),
       "AdaptiveAvgPool3d(output_size=(None, 7, 2))"},
      {"PixelShuffle", kw({{"upscale_factor", 3}}), "PixelShuffle(upscale_factor=3)"},
      {"PixelUnshuffle", kw({{"downscale_factor", 3}}), "PixelUnshuffle(downscale_factor=3)"},
      {"ChannelShuffle", kw({{"groups", 3}}), "ChannelShuffle(groups=3)"},
      {"Fold", fold,
       "Fold(output_size=(3, 4), kernel_size=2, dilation=2, padding=1, stride=(3, 1))"},
      {"Unfold", unfold, "Unfold(kernel_size=2, dilation=2, padding=1, stride=(3, 1))"},
      {"Upsample",
       kw({{"size", size},
           {"scale_factor", factors},
           {"mode", "bilinear"},
           {"align_corners", true},
           {"recompute_scale_factor", true}}),
       "Upsample(scale_factor=(2.0, 1.5), mode='bilinear')"},
      {"UpsamplingNearest2d", kw({{"size", size}, {"scale_factor", factors}}),
       "UpsamplingNearest2d(scale_factor=(2.0, 1.5), mode='nearest')"},
      {"UpsamplingBilinear2d", kw({{"size", size}, {"scale_factor", factors}}),
       "UpsamplingBilinear2d(scale_factor=(2.0, 1.5), mode='bilinear')"},
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace layer_samples
