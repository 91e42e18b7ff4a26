// make_grid and save_image.
#include "taper/data/image_grid.h"

#include <algorithm>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/data/image.h"

namespace taper::data {
namespace {

/// Scales `images` to [0, 1], in place.
void normalize_images(const Tensor& images, const ImageGridOptions& options) {
  const auto [low, high] = options.value_range.value_or(
      std::pair{images.min().item<double>(), images.max().item<double>()});
  images.clamp_(low, high);
  images.sub_(low).div_(std::max(high - low, 1e-5));
}

/// Returns the images as a batch (B, C, H, W), with three channels instead of one.
Tensor image_batch(const Tensor& input) {
  if (input.dim() < 2 || input.dim() > 4 || input.numel() == 0)
    fail<ShapeError>(
        "make_grid: expected nonempty images (B, C, H, W), (C, H, W) or (H, W): got {}",
        input.shape());
  Tensor images = input.detach();
  while (images.dim() < 4) images = images.unsqueeze(0);
  if (images.size(1) != 1) return images;
  return images.expand({images.size(0), 3, images.size(2), images.size(3)});
}

}  // namespace

Tensor detail::make_grid_of_batch(const Tensor& tensor, const ImageGridOptions& options) {
  if (options.nrow < 1 || options.padding < 0)
    fail<ValueError>(
        "make_grid: nrow must be positive and padding must not be negative: got {} and {}",
        options.nrow, options.padding);
  const NoGrad guard;
  Tensor images = image_batch(tensor);
  if (options.normalize) {
    if (!tensor.is_floating_point())
      fail<DTypeError>("make_grid: normalize requires a floating-point type: got {}",
                       tensor.dtype());
    images = images.contiguous().clone();
    if (options.scale_each) {
      for (std::int64_t i = 0; i < images.size(0); ++i) normalize_images(images[i], options);
    } else {
      normalize_images(images, options);
    }
  }
  const std::int64_t count = images.size(0);
  if (count == 1) return images.squeeze(0).contiguous();

  const std::int64_t columns = std::min<std::int64_t>(options.nrow, count),
                     rows = (count + columns - 1) / columns, padding = options.padding,
                     height = images.size(2), width = images.size(3);
  const Tensor grid = full(
      {images.size(1), rows * (height + padding) + padding, columns * (width + padding) + padding},
      options.pad_value, {.dtype = images.dtype(), .device = images.device()});
  for (std::int64_t i = 0; i < count; ++i)
    grid.narrow(1, i / columns * (height + padding) + padding, height)
        .narrow(2, i % columns * (width + padding) + padding, width)
        .copy_(images[i]);
  return grid;
}

Tensor make_grid(std::span<const Tensor> tensor, const ImageGridOptions& options) {
  return make_grid(stack(tensor), options);
}

void detail::save_batch(const Tensor& tensor, const std::string& filename,
                        const ImageGridOptions& options) {
  const bool png = filename.ends_with(".png");
  if (!png && !filename.ends_with(".jpg") && !filename.ends_with(".jpeg"))
    fail<ValueError>("save_image: the name of the file must end in .png, .jpg or .jpeg: got '{}'",
                     filename);
  if (!tensor.is_floating_point())
    fail<DTypeError>("save_image: images must be of a floating-point type: got {}", tensor.dtype());
  const NoGrad guard;
  const Tensor grid = make_grid(tensor, options);
  const Tensor bytes = (grid * 255 + 0.5).clamp_(0, 255).to(DType::u8);
  if (png) {
    write_png(bytes, filename);
  } else {
    write_jpeg(bytes, filename);
  }
}

void save_image(std::span<const Tensor> tensor, const std::string& filename,
                const ImageGridOptions& options) {
  save_image(stack(tensor), filename, options);
}

}  // namespace taper::data
