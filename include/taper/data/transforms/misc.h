// Transforms of values: normalization, conversion, smoothing, noise, erasing.
#pragma once
#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "taper/core/api.h"
#include "taper/data/transforms/functional/misc.h"
#include "taper/data/transforms/transform.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Computes (image - mean) / std; see functional::normalize.
/// PyTorch: torchvision.transforms.v2.Normalize.
class Normalize final : public Transform {
 public:
  Normalize(Numbers mean, Numbers std) : mean_(std::move(mean)), std_(std::move(std)) {}
  TAPER_TRANSFORM(Normalize)

 private:
  Numbers mean_, std_;
};

/// Converts an image to another dtype; see functional::to_dtype.
/// PyTorch: torchvision.transforms.v2.ToDtype.
class ToDtype final : public Transform {
 public:
  explicit ToDtype(DType dtype, bool scale = false) : dtype_(dtype), scale_(scale) {}
  TAPER_TRANSFORM(ToDtype)

 private:
  DType dtype_;
  bool scale_;
};

/// Smooths an image with a random sigma in the range `sigma`; see functional::gaussian_blur.
/// Parameter: sigma. PyTorch: torchvision.transforms.v2.GaussianBlur.
class GaussianBlur final : public Transform {
 public:
  /// `kernel_size` is (x, y) or one number. Throws ValueError if a size is not odd and positive, or
  /// unless 0 < sigma[0] <= sigma[1].
  explicit GaussianBlur(const Shape& kernel_size, const Numbers& sigma = {0.1, 2.0});
  TAPER_RANDOM_TRANSFORM(GaussianBlur)

 private:
  Shape kernel_size_;
  std::array<double, 2> sigma_;
};

/// Options of GaussianNoise.
struct GaussianNoiseOptions {
  double mean = 0, sigma = 0.1;
  bool clip = true;  ///< limits the result to [0, 1]
};

/// Adds noise to each image; see functional::gaussian_noise. The noise is drawn by `forward`;
/// `transform` draws it from the default generator.
/// PyTorch: torchvision.transforms.v2.GaussianNoise.
class GaussianNoise final : public Transform {
 public:
  explicit GaussianNoise(GaussianNoiseOptions options = {}) : options_(options) {}
  TAPER_TRANSFORM(GaussianNoise)
  std::vector<Tensor> forward(const std::vector<Tensor>& images,
                              const TransformContext& context = {}) const override;

 private:
  GaussianNoiseOptions options_;
};

/// Subtracts a mean vector `(D)` from the flattened image, D = C * H * W, and multiplies by a
/// matrix `(D, D)`. PyTorch: torchvision.transforms.v2.LinearTransformation.
class LinearTransformation final : public Transform {
 public:
  /// Throws ShapeError if the shapes do not match, DTypeError if the dtypes differ.
  LinearTransformation(Tensor transformation_matrix, Tensor mean_vector);
  TAPER_TRANSFORM(LinearTransformation)

 private:
  Tensor matrix_, mean_;
};

/// Options of RandomErasing.
struct RandomErasingOptions {
  double p = 0.5;                           ///< probability of the transform
  std::array<double, 2> scale{0.02, 0.33};  ///< range of the share of the area, in [0, 1]
  std::array<double, 2> ratio{0.3, 3.3};    ///< range of height / width
  /// Value of the rectangle, one per channel, or "random": noise from the normal distribution.
  std::variant<Numbers, std::string> value = Numbers(0);
};

/// Erases a random rectangle of an image, with probability p. If none fits in 10 attempts, the
/// image does not change. Throws ValueError for a scale outside of [0, 1], a ratio that is not
/// positive, and an unknown text; a call throws it if the number of values does not match the
/// channels. Parameters: i, j (position), h, w, v (values; None: no change).
/// PyTorch: torchvision.transforms.v2.RandomErasing.
class RandomErasing final : public ProbableTransform {
 public:
  explicit RandomErasing(RandomErasingOptions options = {});
  TAPER_RANDOM_TRANSFORM(RandomErasing)

 private:
  RandomErasingOptions options_;
};

}  // namespace data::transforms
}  // namespace taper
