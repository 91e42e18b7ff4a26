#include "taper/data/transforms/functional/misc.h"

#include <algorithm>
#include <cmath>

#include "data/transforms/image.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/pad.h"
#include "taper/ops/conv.h"

namespace taper::data::transforms::functional {
namespace {

/// Returns the normalized weights exp(-(x / sigma)^2 / 2) at `size` positions x around 0. The
/// positions are divided by the square root of 2 instead of the exponent by 2, as in torchvision.
Tensor gaussian_kernel(std::int64_t size, double sigma, const TensorOptions& like) {
  const double limit = static_cast<double>(size - 1) / (2 * std::sqrt(2.0));
  return (-(linspace(-limit, limit, size, like) / sigma).square()).softmax(0);
}

}  // namespace

Tensor normalize(const Tensor& image, const Numbers& mean, const Numbers& std) {
  check_image("normalize", image);
  if (!image.is_floating_point())
    fail<DTypeError>("normalize: expected a floating-point image, got {}", image.dtype());
  if (std::any_of(std.begin(), std.end(), [](double s) { return s == 0; }))
    fail<ValueError>("normalize: std must not contain 0");
  const auto per_channel = [&](const char* name, const Numbers& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (count != 1 && count != channels_of(image))
      fail<ShapeError>("normalize: {} must have one value, or one per channel: got {} for {}", name,
                       count, channels_of(image));
    return tensor(values.values(), {.dtype = image.dtype(), .device = image.device()})
        .reshape({-1, 1, 1});
  };
  const Tensor means = per_channel("mean", mean), deviations = per_channel("std", std);
  return (image - means) / deviations;
}

Tensor gaussian_blur(const Tensor& image, const Shape& kernel_size, const Numbers& sigma) {
  check_image("gaussian_blur", image);
  const Shape size = to_size("gaussian_blur", kernel_size);
  if (size[0] < 1 || size[0] % 2 == 0 || size[1] < 1 || size[1] % 2 == 0)
    fail<ValueError>("gaussian_blur: kernel_size must be odd and positive: got {}", size);
  if (sigma.size() > 2)
    fail<ValueError>("gaussian_blur: sigma must have one or two numbers: got {}", sigma.size());
  const auto sigma_of = [&](std::size_t i) {
    if (sigma.empty()) return static_cast<double>(size[i]) * 0.15 + 0.35;
    return sigma[std::min(i, sigma.size() - 1)];
  };
  for (std::size_t i = 0; i < 2; ++i)
    if (!(sigma_of(i) > 0))
      fail<ValueError>("gaussian_blur: sigma must be positive: got {}", sigma_of(i));
  if (image.numel() == 0) return image;
  const bool is_float = image.is_floating_point();
  const TensorOptions like{.dtype = is_float ? image.dtype() : DType::f32,
                           .device = image.device()};
  const std::int64_t c = channels_of(image);
  const Tensor kernel = gaussian_kernel(size[1], sigma_of(1), like).unsqueeze(-1) *
                        gaussian_kernel(size[0], sigma_of(0), like);
  const Tensor padded = nn::functional::pad(to_batch(image).to(*like.dtype),
                                            {size[0] / 2, size[0] / 2, size[1] / 2, size[1] / 2},
                                            {.mode = "reflect"});
  const Tensor result = conv2d(padded, kernel.expand({c, 1, size[1], size[0]}), {}, {.groups = c});
  return from_batch(is_float ? result : result.round().to(image.dtype()), image);
}

Tensor gaussian_noise(const Tensor& image, double mean, double sigma, bool clip,
                      const Generator& generator) {
  if (!(sigma >= 0)) fail<ValueError>("gaussian_noise: sigma must be non-negative: got {}", sigma);
  const bool is_float = image.is_floating_point();
  if (!is_float && image.dtype() != DType::u8)
    fail<DTypeError>("gaussian_noise: expected a floating-point or uint8 image, got {}",
                     image.dtype());
  const double unit = max_value(image.dtype());
  Tensor noise = is_float ? randn_like(image, {}, generator)
                          : randn_like(image, {.dtype = DType::f32}, generator);
  noise = noise * (sigma * unit) + mean * unit;
  const Tensor result = image + (is_float ? noise : noise.to(DType::i16));
  return (clip ? result.clamp(0, unit) : result).to(image.dtype());
}

Tensor to_dtype(const Tensor& image, DType dtype, bool scale) {
  const DType from = image.dtype();
  if (from == dtype) return image;
  if (!scale || (is_floating_point(from) && is_floating_point(dtype))) return image.to(dtype);
  if (is_floating_point(dtype)) return image.to(dtype) * (1 / max_value(from));
  if (is_floating_point(from)) {
    const bool is_wide = dtype == DType::i64 || (dtype == DType::i32 && from == DType::f32);
    if (is_wide && from != DType::f16 && from != DType::bf16)
      fail<DTypeError>("to_dtype: {} has too few digits to represent the values of {}", from,
                       dtype);
    // Truncation maps intervals of nearly equal size to each integer.
    return (image * (max_value(dtype) + 1 - 1e-3)).to(dtype);
  }
  const int excess = num_value_bits(from) - num_value_bits(dtype);
  if (excess > 0) return (image >> Scalar(excess)).to(dtype);
  return image.to(dtype) << Scalar(-excess);
}

Tensor erase(const Tensor& image, IntArg i, IntArg j, IntArg h, IntArg w, const Tensor& v) {
  check_image("erase", image);
  if (h < 0 || w < 0)
    fail<ValueError>("erase: expected a non-negative size, got height {}, width {}", h, w);
  const ClippedRange rows = clip_range(i, h, height_of(image));
  const ClippedRange columns = clip_range(j, w, width_of(image));
  const Tensor result = image.clone();
  result.narrow(-2, rows.first, rows.count).narrow(-1, columns.first, columns.count).copy_(v);
  return result;
}

}  // namespace taper::data::transforms::functional
