// Functions that map each value of an image, depending at most on the histogram of its channel.
#include <algorithm>
#include <array>

#include "data/transforms/image.h"
#include "taper/core/factory.h"
#include "taper/data/transforms/functional/color.h"
#include "taper/data/transforms/functional/misc.h"

namespace taper::data::transforms::functional {
namespace {

/// Writes the equalized plane of `n` elements. A histogram without spread leaves it unchanged.
void equalize_plane(const std::uint8_t* from, std::uint8_t* to, std::int64_t n) {
  std::array<std::int64_t, 256> histogram{};
  for (std::int64_t i = 0; i < n; ++i) ++histogram[from[i]];
  std::size_t last = 255;
  while (last > 0 && histogram[last] == 0) --last;
  const std::int64_t step = (n - histogram[last]) / 255;
  if (step == 0) {
    std::copy_n(from, n, to);
    return;
  }
  std::array<std::uint8_t, 256> table{};
  std::int64_t below = 0;
  for (std::size_t level = 0; level < 256; ++level) {
    table[level] =
        static_cast<std::uint8_t>(std::clamp<std::int64_t>((below + step / 2) / step, 0, 255));
    below += histogram[level];
  }
  for (std::int64_t i = 0; i < n; ++i) to[i] = table[from[i]];
}

}  // namespace

Tensor posterize(const Tensor& image, IntArg bits) {
  if (bits < 0 || bits > 8) fail<ValueError>("posterize: bits must be in [0, 8]: got {}", bits);
  const std::int64_t levels = std::int64_t{1} << bits;
  if (image.is_floating_point())
    return (image * levels).floor().clamp(0, levels - 1) * (1.0 / static_cast<double>(levels));
  const int available = num_value_bits(image.dtype());
  if (bits >= available) return image;
  return image & Scalar((levels - 1) << (available - bits));
}

Tensor invert(const Tensor& image) {
  if (image.is_floating_point()) return 1 - image;
  const int bits = num_value_bits(image.dtype());
  return image ^
         Scalar(bits >= 63 ? std::int64_t{0x7fffffffffffffff} : (std::int64_t{1} << bits) - 1);
}

Tensor solarize(const Tensor& image, double threshold) {
  if (threshold > max_value(image.dtype()))
    fail<ValueError>("solarize: threshold {} exceeds the maximum {} of {}", threshold,
                     max_value(image.dtype()), image.dtype());
  return where(image >= threshold, invert(image), image);
}

Tensor autocontrast(const Tensor& image) {
  check_image("autocontrast", image);
  if (const std::int64_t c = channels_of(image); c != 1 && c != 3)
    fail<ShapeError>("autocontrast: expected an image with 1 or 3 channels, got {}", c);
  if (image.numel() == 0) return image;
  const double bound = max_value(image.dtype());
  const Tensor x = image.is_floating_point() ? image : image.to(DType::f32);
  const Tensor min = x.amin({-2, -1}, true), range = x.amax({-2, -1}, true) - min;
  const Tensor is_flat = range == 0;
  return ((x - where(is_flat, 0, min)) / where(is_flat, 1, range * (1 / bound)))
      .clamp(0, bound)
      .to(image.dtype());
}

Tensor equalize(const Tensor& image) {
  check_image("equalize", image);
  if (image.numel() == 0) return image;
  const Tensor input = to_dtype(image, DType::u8, true).cpu().contiguous();
  const Tensor output = empty(image.shape(), {.dtype = DType::u8});
  const std::int64_t plane = height_of(image) * width_of(image);
  const auto* from = input.const_data_ptr<std::uint8_t>();
  auto* to = output.mutable_data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < image.numel(); i += plane) equalize_plane(from + i, to + i, plane);
  return to_dtype(output.to(image.device()), image.dtype(), true);
}

}  // namespace taper::data::transforms::functional
