#include "taper/data/transforms/functional/color.h"

#include "data/transforms/image.h"
#include "taper/core/factory.h"
#include "taper/data/transforms/functional/misc.h"
#include "taper/ops/conv.h"

namespace taper::data::transforms::functional {
namespace {

void check_channels(const char* op, const Tensor& image) {
  check_image(op, image);
  if (const std::int64_t c = channels_of(image); c != 1 && c != 3)
    fail<ShapeError>("{}: expected an image with 1 or 3 channels, got {}", op, c);
}

void check_factor(const char* op, double factor) {
  if (!(factor >= 0)) fail<ValueError>("{}: factor must be non-negative: got {}", op, factor);
}

/// Limits computed values to the range of the dtype of the image, and converts them to it.
Tensor clip_to(const Tensor& values, const Tensor& image) {
  return values.clamp(0, max_value(image.dtype())).to(image.dtype());
}

/// Returns ratio * image + (1 - ratio) * other.
Tensor blend(const Tensor& image, const Tensor& other, double ratio) {
  return clip_to((image * ratio).add(other, 1 - ratio), image);
}

/// Returns the gray image of an RGB image, in float for integers.
Tensor luminance(const Tensor& image) {
  const std::vector<Tensor> rgb = image.unbind(-3);
  return (rgb[0] * 0.2989).add(rgb[1], 0.587).add(rgb[2], 0.114).unsqueeze(-3);
}

/// As luminance, with whole numbers for integer images.
Tensor whole_luminance(const Tensor& image) {
  const Tensor gray = luminance(image);
  return image.is_floating_point() ? gray : gray.floor();
}

/// Converts (R, G, B) to (H, S, V), with all components in [0, 1].
std::vector<Tensor> rgb_to_hsv(const Tensor& image) {
  const std::vector<Tensor> rgb = image.unbind(-3);
  const Tensor max = image.amax(-3), range = max - image.amin(-3);
  const Tensor is_gray = range == 0;
  const Tensor saturation = range / where(is_gray, 1, max);
  const std::vector<Tensor> distance =
      ((max.unsqueeze(-3) - image) / where(is_gray, 1, range).unsqueeze(-3)).unbind(-3);
  const Tensor from_red = distance[2] - distance[1];
  const Tensor from_green = distance[0] + 2 - distance[2];
  const Tensor from_blue = distance[1] + 4 - distance[0];
  const Tensor sixths = where(max == rgb[0], from_red, where(max == rgb[1], from_green, from_blue));
  return {(sixths * (1.0 / 6) + 1).fmod(1), saturation, max};
}

Tensor hsv_to_rgb(const Tensor& h, const Tensor& s, const Tensor& v) {
  const Tensor position = h * 6, sector = position.floor(), fraction = s * (position - sector);
  const Tensor p = ((1 - s) * v).clamp(0, 1), q = ((1 - fraction) * v).clamp(0, 1),
               t = ((fraction + (1 - s)) * v).clamp(0, 1);
  // The component of each channel by sector: 0 to 3 are v, p, q, t.
  static constexpr std::int64_t kComponents[3][6] = {
      {0, 2, 1, 1, 3, 0}, {3, 0, 0, 2, 1, 1}, {1, 1, 3, 0, 0, 2}};
  const Tensor components = tensor(std::span(&kComponents[0][0], 18), {3, 6}).to(h.device());
  Shape shape = h.shape();
  shape.insert(0, 3);
  const Tensor index =
      components.index_select(1, sector.to(DType::i64).remainder(6).flatten()).reshape(shape);
  return stack({v, p, q, t}, -3).gather(-3, index.movedim(0, -3));
}

}  // namespace

Tensor rgb_to_grayscale(const Tensor& image, IntArg num_output_channels) {
  check_channels("rgb_to_grayscale", image);
  if (num_output_channels != 1 && num_output_channels != 3)
    fail<ValueError>("rgb_to_grayscale: num_output_channels must be 1 or 3: got {}",
                     num_output_channels);
  Shape shape = image.shape();
  shape[shape.size() - 3] = num_output_channels;
  if (channels_of(image) == 1) return image.expand(shape).clone(contiguous_format);
  return luminance(image).to(image.dtype()).expand(shape);
}

Tensor grayscale_to_rgb(const Tensor& image) {
  check_image("grayscale_to_rgb", image);
  return channels_of(image) >= 3 ? image : rgb_to_grayscale(image, 3);
}

Tensor adjust_brightness(const Tensor& image, double brightness_factor) {
  check_channels("adjust_brightness", image);
  check_factor("adjust_brightness", brightness_factor);
  return clip_to(image * brightness_factor, image);
}

Tensor adjust_contrast(const Tensor& image, double contrast_factor) {
  check_channels("adjust_contrast", image);
  check_factor("adjust_contrast", contrast_factor);
  const Tensor gray = channels_of(image) == 3     ? whole_luminance(image)
                      : image.is_floating_point() ? image
                                                  : image.to(DType::f32);
  return blend(image, gray.mean({-3, -2, -1}, true), contrast_factor);
}

Tensor adjust_saturation(const Tensor& image, double saturation_factor) {
  check_channels("adjust_saturation", image);
  check_factor("adjust_saturation", saturation_factor);
  if (channels_of(image) == 1) return image;
  return blend(image, whole_luminance(image), saturation_factor);
}

Tensor adjust_sharpness(const Tensor& image, double sharpness_factor) {
  check_channels("adjust_sharpness", image);
  check_factor("adjust_sharpness", sharpness_factor);
  const std::int64_t h = height_of(image), w = width_of(image), c = channels_of(image);
  if (image.numel() == 0 || h <= 2 || w <= 2) return image;
  const DType dtype = image.is_floating_point() ? image.dtype() : DType::f32;
  const Tensor x = to_batch(image).to(dtype);
  constexpr double edge = 1.0 / 13, middle = 5.0 / 13;
  const Tensor kernel =
      tensor(std::vector<double>{edge, edge, edge, edge, middle, edge, edge, edge, edge},
             {.dtype = dtype, .device = image.device()})
          .reshape({1, 1, 3, 3})
          .expand({c, 1, 3, 3});
  Tensor smooth = conv2d(x, kernel, {}, {.groups = c});
  if (!image.is_floating_point()) smooth = smooth.round();
  const Tensor inner = x.narrow(-2, 1, h - 2).narrow(-1, 1, w - 2);
  const Tensor sharpened = inner.add(smooth - inner, 1 - sharpness_factor);
  const Tensor rows = x.narrow(-2, 1, h - 2);
  const Tensor middle_rows = cat({rows.narrow(-1, 0, 1), sharpened, rows.narrow(-1, w - 1, 1)}, -1);
  const Tensor result = cat({x.narrow(-2, 0, 1), middle_rows, x.narrow(-2, h - 1, 1)}, -2);
  return from_batch(clip_to(result, image), image);
}

Tensor adjust_hue(const Tensor& image, double hue_factor) {
  check_channels("adjust_hue", image);
  if (!(hue_factor >= -0.5 && hue_factor <= 0.5))
    fail<ValueError>("adjust_hue: hue_factor must be in [-0.5, 0.5]: got {}", hue_factor);
  if (channels_of(image) == 1 || image.numel() == 0) return image;
  const std::vector<Tensor> hsv = rgb_to_hsv(to_dtype(image, DType::f32, true));
  return to_dtype(hsv_to_rgb((hsv[0] + hue_factor).remainder(1), hsv[1], hsv[2]), image.dtype(),
                  true);
}

Tensor adjust_gamma(const Tensor& image, double gamma, double gain) {
  check_factor("adjust_gamma", gamma);
  Tensor result =
      (image.is_floating_point() ? image : to_dtype(image, DType::f32, true)).pow(gamma);
  if (gain != 1) result = (result * gain).clamp(0, 1);
  return to_dtype(result, image.dtype(), true);
}

Tensor permute_channels(const Tensor& image, const Shape& permutation) {
  check_image("permute_channels", image);
  const std::int64_t c = channels_of(image);
  if (static_cast<std::int64_t>(permutation.size()) != c)
    fail<ValueError>("permute_channels: expected a permutation of {} channels, got {}", c,
                     permutation);
  for (const std::int64_t i : permutation)
    if (i < 0 || i >= c)
      fail<ValueError>("permute_channels: channels must be in [0, {}): got {}", c, permutation);
  const std::vector<std::int64_t> order(permutation.begin(), permutation.end());
  return image.index_select(-3, tensor(order).to(image.device()));
}

}  // namespace taper::data::transforms::functional
