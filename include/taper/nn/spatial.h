// Layers that rearrange or resample spatial dimensions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/functional/spatial.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Rearranges `(*, C * r^2, H, W)` to `(*, C, H * r, W * r)`; see taper::pixel_shuffle.
/// PyTorch: torch.nn.PixelShuffle.
class PixelShuffle : public Layer<PixelShuffle> {
 public:
  explicit PixelShuffle(IntArg factor) : upscale_factor(factor) {}
  std::int64_t upscale_factor;
  TAPER_LAYER(PixelShuffle)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Rearranges `(*, C, H * r, W * r)` to `(*, C * r^2, H, W)`; see taper::pixel_unshuffle.
/// PyTorch: torch.nn.PixelUnshuffle.
class PixelUnshuffle : public Layer<PixelUnshuffle> {
 public:
  explicit PixelUnshuffle(IntArg factor) : downscale_factor(factor) {}
  std::int64_t downscale_factor;
  TAPER_LAYER(PixelUnshuffle)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Interleaves groups of channels of `(N, C, *)`; see taper::channel_shuffle.
/// PyTorch: torch.nn.ChannelShuffle.
class ChannelShuffle : public Layer<ChannelShuffle> {
 public:
  explicit ChannelShuffle(IntArg count) : groups(count) {}
  std::int64_t groups;
  TAPER_LAYER(ChannelShuffle)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using UnfoldOptions = functional::UnfoldFuncOptions;
using FoldOptions = functional::FoldFuncOptions;

/// Sums sliding blocks at their positions in an image; see functional::fold.
/// PyTorch: torch.nn.Fold.
class Fold : public Layer<Fold> {
 public:
  Fold(const Shape& image_size, const Shape& kernel, const FoldOptions& options = {});
  Shape output_size, kernel_size, dilation, padding, stride;
  TAPER_LAYER(Fold)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Returns sliding blocks of an image as columns; see functional::unfold.
/// PyTorch: torch.nn.Unfold.
class Unfold : public Layer<Unfold> {
 public:
  explicit Unfold(const Shape& kernel, const UnfoldOptions& options = {});
  Shape kernel_size, dilation, padding, stride;
  TAPER_LAYER(Unfold)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Options of Upsample; see functional::InterpolateFuncOptions.
struct UpsampleOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape size{};                          ///< output size
  OptionalNumbers scale_factor{};                ///< factor of the size
  std::string mode = "nearest";                  ///< mode of interpolate
  std::optional<bool> align_corners{};           ///< aligns the centers of the corner elements
  std::optional<bool> recompute_scale_factor{};  ///< computes the scale from the sizes
  bool is_tuple = false;                         ///< prints one size or factor as a tuple
};
/// Options of UpsamplingNearest2d and UpsamplingBilinear2d.
struct Upsampling2dOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape size{};            ///< output size
  OptionalNumbers scale_factor{};  ///< factor of the size
  bool is_tuple = false;           ///< prints one size or factor as a tuple
};
using UpsamplingNearest2dOptions = Upsampling2dOptions;
using UpsamplingBilinear2dOptions = Upsampling2dOptions;

/// Resamples to another spatial size; see functional::interpolate. PyTorch: torch.nn.Upsample.
class Upsample : public Layer<Upsample> {
 public:
  explicit Upsample(const UpsampleOptions& options = {});
  explicit Upsample(detail::NoOptions) : Upsample(UpsampleOptions{}) {}
  std::optional<Shape> size;
  std::optional<std::vector<double>> scale_factor;
  bool is_tuple;
  std::string mode;
  std::optional<bool> align_corners, recompute_scale_factor;
  TAPER_LAYER(Upsample)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Resamples `(N, C, H, W)` with mode "nearest". PyTorch: torch.nn.UpsamplingNearest2d.
class UpsamplingNearest2d : public Layer<UpsamplingNearest2d> {
 public:
  explicit UpsamplingNearest2d(const Upsampling2dOptions& options = {});
  explicit UpsamplingNearest2d(detail::NoOptions) : UpsamplingNearest2d(Upsampling2dOptions{}) {}
  std::optional<Shape> size;
  std::optional<std::vector<double>> scale_factor;
  bool is_tuple;
  TAPER_LAYER(UpsamplingNearest2d)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Resamples `(N, C, H, W)` with mode "bilinear" and aligned corners.
/// PyTorch: torch.nn.UpsamplingBilinear2d.
class UpsamplingBilinear2d : public Layer<UpsamplingBilinear2d> {
 public:
  explicit UpsamplingBilinear2d(const Upsampling2dOptions& options = {});
  explicit UpsamplingBilinear2d(detail::NoOptions) : UpsamplingBilinear2d(Upsampling2dOptions{}) {}
  std::optional<Shape> size;
  std::optional<std::vector<double>> scale_factor;
  bool is_tuple;
  TAPER_LAYER(UpsamplingBilinear2d)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
