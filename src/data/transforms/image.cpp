#include "data/transforms/image.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taper::data::transforms {

void check_image(std::string_view op, const Tensor& image) {
  if (!image.defined() || image.dim() < 3)
    fail<ShapeError>("{}: expected an image of shape (..., C, H, W), got {}", op,
                     image.defined() ? image.shape().str() : "an undefined tensor");
}

Tensor to_batch(const Tensor& image) {
  std::int64_t count = 1;
  for (std::int64_t d = 0; d < image.dim() - 3; ++d) count *= image.size(d);
  return image.reshape({count, channels_of(image), height_of(image), width_of(image)});
}

Tensor from_batch(const Tensor& batch, const Tensor& image) {
  Shape shape = image.shape();
  for (std::size_t d = 1; d <= 3; ++d)
    shape[shape.size() - d] = batch.size(4 - static_cast<std::int64_t>(d));
  return batch.reshape(shape);
}

double max_value(DType dtype) {
  switch (dtype) {
    case DType::u8: return 255;
    case DType::i8: return std::numeric_limits<std::int8_t>::max();
    case DType::u16: return 65535;
    case DType::i16: return std::numeric_limits<std::int16_t>::max();
    case DType::i32: return std::numeric_limits<std::int32_t>::max();
    case DType::i64: return static_cast<double>(std::numeric_limits<std::int64_t>::max());
    default: return 1;
  }
}

int num_value_bits(DType dtype) {
  if (!is_integral(dtype))
    fail<DTypeError>("number of value bits: expected an integer dtype, got {}", dtype);
  return static_cast<int>(size_of(dtype)) * 8 - (is_signed(dtype) ? 1 : 0);
}

ClippedRange clip_range(std::int64_t begin, std::int64_t count, std::int64_t size) {
  constexpr std::int64_t kLimit = std::int64_t{1}
                                  << 61;  // above every size, and sums do not overflow
  begin = std::clamp(begin, -kLimit, kLimit);
  const std::int64_t first = std::clamp<std::int64_t>(begin, 0, size);
  const std::int64_t end = std::clamp(begin + std::min(count, kLimit), first, size);
  return {first, end - first, std::clamp<std::int64_t>(-begin, 0, count)};
}

std::int64_t truncate_to_integer(double value) {
  if (!(std::abs(value) < 9e18)) fail<ValueError>("the size {} is too large", value);
  return static_cast<std::int64_t>(value);
}

std::int64_t round_to_integer(double value) { return truncate_to_integer(std::nearbyint(value)); }

Shape to_size(std::string_view op, const Shape& size) {
  if (size.size() == 1) return {size[0], size[0]};
  if (size.size() != 2)
    fail<ValueError>("{}: expected a size of one or two numbers (h, w), got {}", op, size);
  return size;
}

}  // namespace taper::data::transforms
