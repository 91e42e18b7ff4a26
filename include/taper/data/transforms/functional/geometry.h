// Resizing, cropping, padding and flipping of images.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/shape.h"
#include "taper/core/tensor.h"
#include "taper/data/transforms/numbers.h"

namespace TAPER_API taper {
namespace data::transforms {

/// Options of resizing.
struct ResizeOptions {
  /// "nearest", "nearest-exact", "bilinear", "bicubic" or "lanczos".
  std::string interpolation = "bilinear";
  /// Maximum length of the longer edge. Only if `size` is one number or empty.
  std::optional<std::int64_t> max_size{};
  bool antialias = true;  ///< ignored by the nearest modes; required by "lanczos"
};

/// Options of padding.
struct PadOptions {
  Numbers fill{};  ///< value of the padding in mode "constant", or one per channel; default 0
  /// "constant", "edge" (repeats the border), "reflect" (reflects the image without repeating the
  /// border) or "symmetric" (reflects the image and repeats the border).
  std::string padding_mode = "constant";
};

namespace functional {

// Images have the shape (..., C, H, W). Functions return the input itself, not a copy, if they do
// not change it.

/// Resizes an image `(..., C, H, W)` to `size` (h, w). If `size` is one number, it is the length of
/// the shorter edge, and the aspect ratio is preserved; with `max_size`, the longer edge is at most
/// `max_size`. If `size` is empty, the longer edge becomes `max_size`. An 8-bit image is computed
/// with 16-bit fixed-point weights; other integers are computed in float and rounded. Throws
/// ValueError for an unknown mode, for "lanczos" without antialias, and for inconsistent sizes;
/// ShapeError if a size is not positive. PyTorch: torchvision.transforms.v2.functional.resize.
Tensor resize(const Tensor& image, const Shape& size, const ResizeOptions& options = {});
/// Returns the part of an image whose upper left corner is (top, left). Elements outside of the
/// image are 0. Throws ValueError if height or width is negative.
/// PyTorch: torchvision.transforms.v2.functional.crop.
Tensor crop(const Tensor& image, IntArg top, IntArg left, IntArg height, IntArg width);
/// Returns the center of an image, of size (h, w), or (s, s) for one number. A smaller image is
/// padded with 0. PyTorch: torchvision.transforms.v2.functional.center_crop.
Tensor center_crop(const Tensor& image, const Shape& output_size);
/// Crops an image and resizes the result. PyTorch:
/// torchvision.transforms.v2.functional.resized_crop.
Tensor resized_crop(const Tensor& image, IntArg top, IntArg left, IntArg height, IntArg width,
                    const Shape& size, const ResizeOptions& options = {});
/// Pads an image. `padding` is one count for all sides, (left and right, top and bottom), or (left,
/// top, right, bottom); negative counts crop. Throws ValueError for another number of counts, an
/// unknown mode, or several fill values in a mode other than "constant"; ShapeError if the counts
/// exceed the image in a reflecting mode. PyTorch: torchvision.transforms.v2.functional.pad.
Tensor pad(const Tensor& image, const Shape& padding, const PadOptions& options = {});
/// Reverses the columns, or the rows. PyTorch:
/// torchvision.transforms.v2.functional.horizontal_flip, vertical_flip.
Tensor horizontal_flip(const Tensor& image);
Tensor vertical_flip(const Tensor& image);
/// Returns the four corners, top left, top right, bottom left, bottom right, and the center of an
/// image, each of size (h, w), or (s, s) for one number. Throws ValueError if the image is smaller.
/// PyTorch: torchvision.transforms.v2.functional.five_crop.
[[nodiscard]] std::vector<Tensor> five_crop(const Tensor& image, const Shape& size);
/// Returns the crops of five_crop, followed by those of the horizontally, or vertically, flipped
/// image. PyTorch: torchvision.transforms.v2.functional.ten_crop.
[[nodiscard]] std::vector<Tensor> ten_crop(const Tensor& image, const Shape& size,
                                           bool vertical_flip = false);

}  // namespace functional
}  // namespace data::transforms
}  // namespace taper
