// Transforms that change the colors of images.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/data/transforms/functional/color.h"
#include "taper/data/transforms/numbers.h"
#include "taper/data/transforms/transform.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Converts an image to gray with 1 or 3 channels; see functional::rgb_to_grayscale.
/// PyTorch: torchvision.transforms.v2.Grayscale.
class Grayscale final : public Transform {
 public:
  explicit Grayscale(IntArg num_output_channels = 1) : num_output_channels_(num_output_channels) {}
  TAPER_TRANSFORM(Grayscale)

 private:
  std::int64_t num_output_channels_;
};

/// Repeats the channel of a gray image three times. PyTorch: torchvision.transforms.v2.RGB.
class RGB final : public Transform {
 public:
  TAPER_TRANSFORM(RGB)
};

/// Converts an image to gray with probability p and preserves the number of channels. Parameter:
/// num_input_channels. PyTorch: torchvision.transforms.v2.RandomGrayscale.
class RandomGrayscale final : public ProbableTransform {
 public:
  explicit RandomGrayscale(double p = 0.1) : ProbableTransform(p) {}
  TAPER_RANDOM_TRANSFORM(RandomGrayscale)
};

/// Ranges of the factors of ColorJitter. A single number a is the range (max(0, 1 - a), 1 + a), for
/// the hue (-a, a). Default: no change.
struct ColorJitterOptions {
  Numbers brightness{}, contrast{}, saturation{}, hue{};
};

/// Changes brightness, contrast, saturation and hue by random factors, in random order. Throws
/// ValueError for a negative single number, a decreasing range, a negative factor, or a hue outside
/// of [-0.5, 0.5]. Parameters: fn_idx (order; 0 to 3 are brightness, contrast, saturation and hue),
/// brightness_factor, contrast_factor, saturation_factor, hue_factor (None: no change).
/// PyTorch: torchvision.transforms.v2.ColorJitter.
class ColorJitter final : public Transform {
 public:
  explicit ColorJitter(const ColorJitterOptions& options = {});
  TAPER_RANDOM_TRANSFORM(ColorJitter)

 private:
  std::array<Numbers, 4> ranges_;  // empty: no change
};

/// Options of RandomPhotometricDistort: ranges of the factors.
struct RandomPhotometricDistortOptions {
  std::array<double, 2> brightness{0.875, 1.125}, contrast{0.5, 1.5}, saturation{0.5, 1.5},
      hue{-0.05, 0.05};
  double p = 0.5;  ///< probability of each change
};

/// Changes brightness, contrast, saturation, hue and the order of the channels, each with
/// probability p. Parameters: brightness_factor, contrast_factor, saturation_factor, hue_factor,
/// channel_permutation (None: no change), contrast_before.
/// PyTorch: torchvision.transforms.v2.RandomPhotometricDistort.
class RandomPhotometricDistort final : public Transform {
 public:
  /// Throws ValueError if p is not in [0, 1].
  explicit RandomPhotometricDistort(RandomPhotometricDistortOptions options = {});
  TAPER_RANDOM_TRANSFORM(RandomPhotometricDistort)

 private:
  RandomPhotometricDistortOptions options_;
};

/// Permutes the channels. Parameter: permutation.
/// PyTorch: torchvision.transforms.v2.RandomChannelPermutation.
class RandomChannelPermutation final : public Transform {
 public:
  TAPER_RANDOM_TRANSFORM(RandomChannelPermutation)
};

/// Inverts the colors with probability p. PyTorch: torchvision.transforms.v2.RandomInvert.
class RandomInvert final : public ProbableTransform {
 public:
  explicit RandomInvert(double p = 0.5) : ProbableTransform(p) {}
  TAPER_TRANSFORM(RandomInvert)
};

/// Keeps the highest bits of each value, with probability p; see functional::posterize.
/// PyTorch: torchvision.transforms.v2.RandomPosterize.
class RandomPosterize final : public ProbableTransform {
 public:
  explicit RandomPosterize(IntArg bits, double p = 0.5) : ProbableTransform(p), bits_(bits) {}
  TAPER_TRANSFORM(RandomPosterize)

 private:
  std::int64_t bits_;
};

/// Inverts the values of at least `threshold`, with probability p.
/// PyTorch: torchvision.transforms.v2.RandomSolarize.
class RandomSolarize final : public ProbableTransform {
 public:
  explicit RandomSolarize(double threshold, double p = 0.5)
      : ProbableTransform(p), threshold_(threshold) {}
  TAPER_TRANSFORM(RandomSolarize)

 private:
  double threshold_;
};

/// Changes the sharpness with probability p; see functional::adjust_sharpness.
/// PyTorch: torchvision.transforms.v2.RandomAdjustSharpness.
class RandomAdjustSharpness final : public ProbableTransform {
 public:
  explicit RandomAdjustSharpness(double sharpness_factor, double p = 0.5)
      : ProbableTransform(p), sharpness_factor_(sharpness_factor) {}
  TAPER_TRANSFORM(RandomAdjustSharpness)

 private:
  double sharpness_factor_;
};

/// Maximizes the contrast with probability p; see functional::autocontrast.
/// PyTorch: torchvision.transforms.v2.RandomAutocontrast.
class RandomAutocontrast final : public ProbableTransform {
 public:
  explicit RandomAutocontrast(double p = 0.5) : ProbableTransform(p) {}
  TAPER_TRANSFORM(RandomAutocontrast)
};

/// Equalizes the histogram with probability p; see functional::equalize.
/// PyTorch: torchvision.transforms.v2.RandomEqualize.
class RandomEqualize final : public ProbableTransform {
 public:
  explicit RandomEqualize(double p = 0.5) : ProbableTransform(p) {}
  TAPER_TRANSFORM(RandomEqualize)
};

}  // namespace data::transforms
}  // namespace taper
