// Transforms that sample an image at the points of a random grid.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/data/transforms/functional/warp.h"
#include "taper/data/transforms/transform.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Options of RandomRotation.
struct RandomRotationOptions {
  std::string interpolation = "nearest";  ///< "nearest" or "bilinear"
  bool expand = false;                    ///< enlarges the result to the rotated image
  Numbers center{};                       ///< (x, y) in pixels; default: the center of the image
  Numbers fill = 0;                       ///< as in WarpOptions
};

/// Rotates an image by a random angle in the range `degrees`, or (-degrees, degrees) for one
/// number. Throws ValueError if the single number is negative. Parameter: angle.
/// PyTorch: torchvision.transforms.v2.RandomRotation.
class RandomRotation final : public Transform {
 public:
  explicit RandomRotation(const Numbers& degrees, RandomRotationOptions options = {});
  TAPER_RANDOM_TRANSFORM(RandomRotation)

 private:
  std::array<double, 2> degrees_;
  RandomRotationOptions options_;
};

/// Options of RandomAffine.
struct RandomAffineOptions {
  /// Maximum translations, as shares of width and height. Default: no translation.
  std::optional<std::array<double, 2>> translate{};
  std::optional<std::array<double, 2>> scale{};  ///< range of the scale; default: 1
  /// Range of the shear along x in degrees, followed by that along y; one number s: (-s, s) along
  /// x. Default: no shear.
  Numbers shear{};
  std::string interpolation = "nearest";  ///< "nearest" or "bilinear"
  Numbers fill = 0;                       ///< as in WarpOptions
  Numbers center{};                       ///< (x, y) in pixels; default: the center of the image
};

/// Applies an affine map with a random angle in the range `degrees`, or (-degrees, degrees) for one
/// number. Throws ValueError for translations outside of [0, 1], scales that are not positive, and
/// negative single numbers. Parameters: angle, translate, scale, shear.
/// PyTorch: torchvision.transforms.v2.RandomAffine.
class RandomAffine final : public Transform {
 public:
  explicit RandomAffine(const Numbers& degrees, RandomAffineOptions options = {});
  TAPER_RANDOM_TRANSFORM(RandomAffine)

 private:
  std::array<double, 2> degrees_;
  RandomAffineOptions options_;
};

/// Options of RandomPerspective.
struct RandomPerspectiveOptions {
  double distortion_scale = 0.5;           ///< 0: none, 1: corners up to the center
  double p = 0.5;                          ///< probability of the transform
  std::string interpolation = "bilinear";  ///< "nearest" or "bilinear"
  Numbers fill = 0;                        ///< as in WarpOptions
};

/// Moves the corners of an image towards its center by random distances, with probability p. Throws
/// ValueError if the scale is not in [0, 1]. Parameter: coefficients of functional::perspective.
/// PyTorch: torchvision.transforms.v2.RandomPerspective.
class RandomPerspective final : public ProbableTransform {
 public:
  explicit RandomPerspective(RandomPerspectiveOptions options = {});
  TAPER_RANDOM_TRANSFORM(RandomPerspective)

 private:
  RandomPerspectiveOptions options_;
};

/// Options of ElasticTransform.
struct ElasticTransformOptions {
  Numbers alpha = 50.0;                    ///< pixels of displacement along x and y
  Numbers sigma = 5.0;                     ///< smoothness of the displacement along x and y
  std::string interpolation = "bilinear";  ///< "nearest" or "bilinear"
  Numbers fill = 0;                        ///< as in WarpOptions
};

/// Displaces the pixels of an image by a smooth random field. Parameter: displacement of
/// functional::elastic. A call throws ShapeError if the image is too small for sigma.
/// PyTorch: torchvision.transforms.v2.ElasticTransform.
class ElasticTransform final : public Transform {
 public:
  /// Throws ValueError unless alpha and sigma have one or two numbers.
  explicit ElasticTransform(ElasticTransformOptions options = {});
  TAPER_RANDOM_TRANSFORM(ElasticTransform)

 private:
  ElasticTransformOptions options_;
};

}  // namespace data::transforms
}  // namespace taper
