// Transforms that resize, crop, pad or flip images.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/data/transforms/functional/geometry.h"
#include "taper/data/transforms/transform.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Resizes an image; see functional::resize. PyTorch: torchvision.transforms.v2.Resize.
class Resize final : public Transform {
 public:
  explicit Resize(Shape size, ResizeOptions options = {})
      : size_(std::move(size)), options_(std::move(options)) {}
  TAPER_TRANSFORM(Resize)

 private:
  Shape size_;
  ResizeOptions options_;
};

/// Returns the center of an image; see functional::center_crop.
/// PyTorch: torchvision.transforms.v2.CenterCrop.
class CenterCrop final : public Transform {
 public:
  explicit CenterCrop(Shape size) : size_(std::move(size)) {}
  TAPER_TRANSFORM(CenterCrop)

 private:
  Shape size_;
};

/// Pads an image; see functional::pad. PyTorch: torchvision.transforms.v2.Pad.
class Pad final : public Transform {
 public:
  explicit Pad(Shape padding, PadOptions options = {})
      : padding_(std::move(padding)), options_(std::move(options)) {}
  TAPER_TRANSFORM(Pad)

 private:
  Shape padding_;
  PadOptions options_;
};

/// Returns five crops of each image; see functional::five_crop.
/// PyTorch: torchvision.transforms.v2.FiveCrop.
class FiveCrop final : public Transform {
 public:
  explicit FiveCrop(Shape size) : size_(std::move(size)) {}
  std::string name() const override { return "FiveCrop"; }
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const override;

 private:
  Shape size_;
};

/// Returns ten crops of each image; see functional::ten_crop.
/// PyTorch: torchvision.transforms.v2.TenCrop.
class TenCrop final : public Transform {
 public:
  explicit TenCrop(Shape size, bool vertical_flip = false)
      : size_(std::move(size)), vertical_flip_(vertical_flip) {}
  std::string name() const override { return "TenCrop"; }
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const override;

 private:
  Shape size_;
  bool vertical_flip_;
};

/// Reverses the columns with probability p.
/// PyTorch: torchvision.transforms.v2.RandomHorizontalFlip.
class RandomHorizontalFlip final : public ProbableTransform {
 public:
  explicit RandomHorizontalFlip(double p = 0.5) : ProbableTransform(p) {}
  TAPER_TRANSFORM(RandomHorizontalFlip)
};

/// Reverses the rows with probability p. PyTorch: torchvision.transforms.v2.RandomVerticalFlip.
class RandomVerticalFlip final : public ProbableTransform {
 public:
  explicit RandomVerticalFlip(double p = 0.5) : ProbableTransform(p) {}
  TAPER_TRANSFORM(RandomVerticalFlip)
};

/// Options of RandomCrop.
struct RandomCropOptions {
  Shape padding{};             ///< counts as in functional::pad; default: none
  bool pad_if_needed = false;  ///< pads an image that is smaller than the crop, on both sides
  Numbers fill = 0;            ///< as in PadOptions
  std::string padding_mode = "constant";  ///< as in PadOptions
};

/// Crops an image at a random position, after padding it. `size` is (h, w), or one number for both.
/// A call throws ValueError if the padded image is smaller. Parameters: needs_crop, top, left,
/// height, width, needs_pad, padding (left, top, right, bottom).
/// PyTorch: torchvision.transforms.v2.RandomCrop.
class RandomCrop final : public Transform {
 public:
  explicit RandomCrop(const Shape& size, RandomCropOptions options = {});
  TAPER_RANDOM_TRANSFORM(RandomCrop)

 private:
  Shape size_;
  RandomCropOptions options_;
};

/// Options of RandomResizedCrop.
struct RandomResizedCropOptions {
  std::array<double, 2> scale{0.08, 1.0};             ///< range of the share of the area
  std::array<double, 2> ratio{3.0 / 4.0, 4.0 / 3.0};  ///< range of width / height
  std::string interpolation = "bilinear";             ///< as in ResizeOptions
  bool antialias = true;
};

/// Crops a part of random area, aspect ratio and position, and resizes it to `size`. If no part
/// fits in 10 attempts, the largest central crop of an admitted ratio is used. Parameters: top,
/// left, height, width. PyTorch: torchvision.transforms.v2.RandomResizedCrop.
class RandomResizedCrop final : public Transform {
 public:
  /// Throws ValueError if a ratio is not positive.
  explicit RandomResizedCrop(const Shape& size, RandomResizedCropOptions options = {});
  TAPER_RANDOM_TRANSFORM(RandomResizedCrop)

 private:
  Shape size_;
  RandomResizedCropOptions options_;
};

/// Options of RandomZoomOut.
struct RandomZoomOutOptions {
  Numbers fill = 0;                            ///< as in PadOptions
  std::array<double, 2> side_range{1.0, 4.0};  ///< range of the factor of the sides
  double p = 0.5;                              ///< probability of the transform
};

/// Places an image at a random position in a larger one, with probability p. Throws ValueError
/// unless 1 <= side_range[0] <= side_range[1]. Parameter: padding (left, top, right, bottom).
/// PyTorch: torchvision.transforms.v2.RandomZoomOut.
class RandomZoomOut final : public ProbableTransform {
 public:
  explicit RandomZoomOut(RandomZoomOutOptions options = {});
  TAPER_RANDOM_TRANSFORM(RandomZoomOut)

 private:
  RandomZoomOutOptions options_;
};

/// Options of the transforms that draw the size of the result.
struct RandomSizeOptions {
  std::string interpolation = "bilinear";  ///< as in ResizeOptions
  bool antialias = true;
};

/// Base class of the transforms that resize an image to a random size, the parameter `size`.
class RandomSizeTransform : public Transform {
 public:
  explicit RandomSizeTransform(RandomSizeOptions options) : options_(std::move(options)) {}
  Tensor transform(const Tensor& image, const Value& params) const override;

 private:
  RandomSizeOptions options_;
};

/// Resizes an image to a size that fits in `target_size` (h, w), times a random factor of
/// `scale_range`. PyTorch: torchvision.transforms.v2.ScaleJitter.
class ScaleJitter final : public RandomSizeTransform {
 public:
  /// Throws ValueError unless `target_size` has two numbers.
  explicit ScaleJitter(const Shape& target_size, std::array<double, 2> scale_range = {0.1, 2.0},
                       RandomSizeOptions options = {});
  std::string name() const override { return "ScaleJitter"; }
  Value make_params(const std::vector<Tensor>& images, const Generator& generator) const override;

 private:
  Shape target_size_;
  std::array<double, 2> scale_range_;
};

/// Resizes an image so that the shorter edge has a length of the list `min_size`, or the longer
/// edge `max_size`, whichever is smaller. PyTorch: torchvision.transforms.v2.RandomShortestSize.
class RandomShortestSize final : public RandomSizeTransform {
 public:
  /// Throws ValueError for an empty list.
  explicit RandomShortestSize(Shape min_size, std::optional<std::int64_t> max_size = {},
                              RandomSizeOptions options = {});
  std::string name() const override { return "RandomShortestSize"; }
  Value make_params(const std::vector<Tensor>& images, const Generator& generator) const override;

 private:
  Shape min_size_;
  std::optional<std::int64_t> max_size_;
};

/// Resizes an image so that the shorter edge has a random length in [min_size, max_size).
/// PyTorch: torchvision.transforms.v2.RandomResize.
class RandomResize final : public RandomSizeTransform {
 public:
  /// Throws ValueError unless min_size < max_size.
  RandomResize(IntArg min_size, IntArg max_size, RandomSizeOptions options = {});
  std::string name() const override { return "RandomResize"; }
  Value make_params(const std::vector<Tensor>& images, const Generator& generator) const override;

 private:
  std::int64_t min_size_, max_size_;
};

}  // namespace data::transforms
}  // namespace taper
