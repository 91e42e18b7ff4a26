// Sampling of images at the points of a grid.
#pragma once
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of grid_sample.
struct GridSampleFuncOptions {
  std::string mode = "bilinear";       ///< "bilinear", "nearest" or "bicubic"
  std::string padding_mode = "zeros";  ///< "zeros", "border" or "reflection"
  /// True: -1 and 1 are the centers of the corner pixels; false: their outer edges. Default: false,
  /// with a warning.
  std::optional<bool> align_corners{};
};

/// Returns the values of `input` `(N, C, H, W)` at the points of `grid` `(N, H', W', 2)`, whose
/// last dimension is (x, y) in [-1, 1]: `(N, C, H', W')`; with another dimension of depth,
/// `(N, C, D, H, W)`, `(N, D', H', W', 3)` with (x, y, z), and `(N, C, D', H', W')`. Values between
/// pixels are interpolated. Outside of the image, they are 0, those of the border, or reflected.
/// Throws ShapeError if the shapes do not match, ValueError for unknown modes, DTypeError if the
/// dtypes differ. PyTorch: torch.nn.functional.grid_sample.
Tensor grid_sample(const Tensor& input, const Tensor& grid,
                   const GridSampleFuncOptions& options = {});

/// Options of affine_grid.
struct AffineGridFuncOptions {
  std::optional<bool> align_corners{};  ///< as for grid_sample
};

/// Returns the grid `(N, H, W, 2)` of the points of an image of `size` `(N, C, H, W)` that affine
/// matrices `theta` `(N, 2, 3)` map to, for grid_sample; with `theta` `(N, 3, 4)` and `size`
/// `(N, C, D, H, W)`, `(N, D, H, W, 3)`. Throws ShapeError if the shapes do not match or a size is
/// not positive, DTypeError if `theta` is not a floating-point tensor.
/// PyTorch: torch.nn.functional.affine_grid.
Tensor affine_grid(const Tensor& theta, const Shape& size,
                   const AffineGridFuncOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
