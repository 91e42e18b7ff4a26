// make_grid and save_image: batches of images as one image. PyTorch: torchvision.utils.
#pragma once
#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/scalar.h"
#include "taper/core/tensor.h"
#include "taper/core/tensor_span.h"

namespace TAPER_API taper {
namespace data {

/// Options of make_grid and save_image. PyTorch: the arguments of torchvision.utils.make_grid.
struct ImageGridOptions {
  IntArg nrow = 8;     ///< images per row
  IntArg padding = 2;  ///< pixels around each image
  /// Clamps the images to `value_range` and scales them to [0, 1].
  bool normalize = false;
  /// Minimum and maximum for `normalize`; default: those of the images.
  std::optional<std::pair<double, double>> value_range{};
  bool scale_each = false;  ///< uses the minimum and maximum of each image, instead of the batch
  double pad_value = 0;     ///< value of the pixels between images
};

namespace detail {
Tensor make_grid_of_batch(const Tensor& tensor, const ImageGridOptions& options);
void save_batch(const Tensor& tensor, const std::string& filename, const ImageGridOptions& options);
}  // namespace detail

/// Returns a batch of images (B, C, H, W) as one image, in rows from left to right. A batch of one
/// image, an image (C, H, W) and an image (H, W) are returned without padding. Images with one
/// channel become images with three. Throws ShapeError for another shape and for an empty batch,
/// ValueError if `nrow` is not positive or `padding` is negative, DTypeError if `normalize` is set
/// and the dtype is not a floating-point type. PyTorch: torchvision.utils.make_grid.
template <std::derived_from<Tensor> Image>
Tensor make_grid(const Image& tensor, const ImageGridOptions& options = {}) {
  return detail::make_grid_of_batch(tensor, options);
}
/// As above, for images of the same shape. Throws the errors of `stack`.
Tensor make_grid(std::span<const Tensor> tensor, const ImageGridOptions& options = {});
inline Tensor make_grid(std::initializer_list<Tensor> tensor,
                        const ImageGridOptions& options = {}) {
  return make_grid(taper::detail::as_span(tensor), options);
}

/// Writes images with values in [0, 1] as one PNG or JPEG file, as `make_grid` arranges them. Other
/// values are clamped. Throws the errors of make_grid, DTypeError unless the dtype is a
/// floating-point type, ValueError unless the name ends in .png, .jpg or .jpeg, and IoError if the
/// file cannot be written. PyTorch: torchvision.utils.save_image.
template <std::derived_from<Tensor> Image> void save_image(const Image& tensor,
                                                           const std::string& filename,
                                                           const ImageGridOptions& options = {}) {
  detail::save_batch(tensor, filename, options);
}
/// As above, for images of the same shape.
void save_image(std::span<const Tensor> tensor, const std::string& filename,
                const ImageGridOptions& options = {});
inline void save_image(std::initializer_list<Tensor> tensor, const std::string& filename,
                       const ImageGridOptions& options = {}) {
  save_image(taper::detail::as_span(tensor), filename, options);
}

}  // namespace data
}  // namespace taper
