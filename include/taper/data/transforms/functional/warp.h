// Rotation and other distortions: images sampled at the points of a grid.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/data/transforms/numbers.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Options of the functions that sample an image at the points of a grid.
struct WarpOptions {
  std::string interpolation = "nearest";  ///< "nearest" or "bilinear"
  /// Value of the points outside of the image, or one per channel. Empty: 0, not blended with the
  /// border.
  Numbers fill{};
  Numbers center{};  ///< (x, y) in pixels; default: the center of the image
};

/// Options of rotate.
struct RotateOptions {
  std::string interpolation = "nearest";  ///< "nearest" or "bilinear"
  bool expand = false;                    ///< enlarges the result to the rotated image
  Numbers center{};                       ///< (x, y) in pixels; default: the center of the image
  Numbers fill{};                         ///< as in WarpOptions
};

/// Affine map: shear, scaling, rotation and translation about a center.
struct AffineMap {
  double angle = 0;                       ///< degrees, clockwise
  std::array<double, 2> translate{0, 0};  ///< pixels to the right and down
  double scale = 1;                       ///< positive
  Numbers shear{0.0, 0.0};                ///< degrees along x and y; one number: both
};

/// (x, y) of the top left, top right, bottom right and bottom left corner.
using Corners = std::vector<std::array<std::int64_t, 2>>;

namespace functional {

// Images have the shape (..., C, H, W). Integer images are computed in float and rounded. All
// functions throw ValueError for an unknown mode and if the number of fill values is neither 1 nor
// C.

/// Rotates an image counter-clockwise by `angle` degrees. Multiples of 90 degrees about the center
/// are exact. PyTorch: torchvision.transforms.v2.functional.rotate.
Tensor rotate(const Tensor& image, double angle, const RotateOptions& options = {});
/// Applies an affine map. Throws ValueError if the scale is not positive, or the number of shears
/// is not 1 or 2. PyTorch: torchvision.transforms.v2.functional.affine.
Tensor affine(const Tensor& image, const AffineMap& map, const WarpOptions& options = {});
/// Returns the coefficients (a, b, c, d, e, f, g, h) of the map (x, y) -> ((a x + b y + c) / (g x +
/// h y + 1), (d x + e y + f) / (g x + h y + 1)) from `endpoints` to `startpoints`, rounded to
/// float. Throws ValueError unless there are four points each, LinAlgError if they are degenerate.
[[nodiscard]] std::vector<double> perspective_coefficients(const Corners& startpoints,
                                                           const Corners& endpoints);
/// Applies the perspective map that moves `startpoints` to `endpoints`, or the map of the
/// coefficients (see perspective_coefficients). Throws ValueError unless there are four points
/// each, or eight coefficients. PyTorch: torchvision.transforms.v2.functional.perspective.
Tensor perspective(const Tensor& image, const Corners& startpoints, const Corners& endpoints,
                   const WarpOptions& options = {.interpolation = "bilinear"});
Tensor perspective(const Tensor& image, const std::vector<double>& coefficients,
                   const WarpOptions& options = {.interpolation = "bilinear"});
/// Moves each pixel of the result by `displacement` `(1, H, W, 2)`, (x, y) in units of half the
/// image. Throws ShapeError if the shape of the displacement does not match the image.
/// PyTorch: torchvision.transforms.v2.functional.elastic.
Tensor elastic(const Tensor& image, const Tensor& displacement,
               const WarpOptions& options = {.interpolation = "bilinear"});

}  // namespace functional
}  // namespace data::transforms
}  // namespace taper
