#include <cmath>

#include "data/transforms/image.h"
#include "taper/data/transforms/functional/geometry.h"
#include "taper/nn/functional/spatial.h"

namespace taper::data::transforms::functional {
namespace {

std::int64_t scaled(std::int64_t length, std::int64_t numerator, std::int64_t denominator) {
  return truncate_to_integer(static_cast<double>(numerator) * static_cast<double>(length) /
                             static_cast<double>(denominator));
}

/// Returns (h, w) of the result of resizing an image of size (h, w).
Shape resized_size(std::int64_t h, std::int64_t w, const Shape& size,
                   std::optional<std::int64_t> max_size) {
  if (size.size() > 2)
    fail<ValueError>("resize: expected a size of at most two numbers (h, w), got {}", size);
  if (size.size() == 2) {
    if (max_size)
      fail<ValueError>(
          "resize: max_size requires a size that is empty or the length of the shorter edge: got "
          "max_size {}, size {}",
          *max_size, size);
    return size;
  }
  if (h < 1 || w < 1)
    fail<ShapeError>("resize: expected a non-empty image, got height {}, width {}", h, w);
  const std::int64_t shorter = std::min(h, w), longer = std::max(h, w);
  std::int64_t new_shorter = 0, new_longer = 0;
  if (size.empty()) {
    if (!max_size) fail<ValueError>("resize: max_size is required if size is empty");
    new_longer = *max_size;
    new_shorter = scaled(shorter, *max_size, longer);
  } else {
    new_shorter = size[0];
    new_longer = scaled(longer, new_shorter, shorter);
    if (max_size && *max_size <= new_shorter)
      fail<ValueError>(
          "resize: max_size must be greater than the length of the shorter edge: got max_size {}, "
          "size {}",
          *max_size, size);
    if (max_size && new_longer > *max_size) {
      new_shorter = scaled(new_shorter, *max_size, new_longer);
      new_longer = *max_size;
    }
  }
  return w <= h ? Shape{new_longer, new_shorter} : Shape{new_shorter, new_longer};
}

}  // namespace

Tensor resize(const Tensor& image, const Shape& size, const ResizeOptions& o) {
  check_image("resize", image);
  const std::string& mode = o.interpolation;
  const bool nearest = mode == "nearest" || mode == "nearest-exact";
  if (!nearest && mode != "bilinear" && mode != "bicubic" && mode != "lanczos")
    fail<ValueError>(
        "resize: interpolation must be 'nearest', 'nearest-exact', 'bilinear', 'bicubic' or "
        "'lanczos': got '{}'",
        mode);
  if (mode == "lanczos" && !o.antialias)
    fail<ValueError>("resize: interpolation 'lanczos' requires antialias = true");
  const std::int64_t h = height_of(image), w = width_of(image);
  const Shape to = resized_size(h, w, size, o.max_size);
  if (to[0] < 1 || to[1] < 1)
    fail<ShapeError>("resize: expected a positive size, got {} of an image of shape {}", to,
                     image.shape());
  if (to == Shape{h, w}) return image;
  if (image.numel() == 0) {
    Shape shape = image.shape();
    shape[shape.size() - 2] = to[0], shape[shape.size() - 1] = to[1];
    return image.reshape(shape);
  }
  const DType dtype = image.dtype();
  const bool is_native = dtype == DType::f32 || dtype == DType::f64 || dtype == DType::u8;
  nn::functional::InterpolateFuncOptions options{
      .size = to, .mode = mode, .antialias = o.antialias && !nearest};
  if (!nearest) options.align_corners = false;
  const Tensor batch = to_batch(image);
  Tensor result = nn::functional::interpolate(is_native ? batch : batch.to(DType::f32), options);
  if (!is_native) result = (is_floating_point(dtype) ? result : result.round()).to(dtype);
  return from_batch(result, image);
}

Tensor resized_crop(const Tensor& image, IntArg top, IntArg left, IntArg height, IntArg width,
                    const Shape& size, const ResizeOptions& options) {
  return resize(crop(image, top, left, height, width), size, options);
}

}  // namespace taper::data::transforms::functional
