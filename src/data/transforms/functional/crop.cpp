#include <algorithm>

#include "data/transforms/image.h"
#include "taper/core/factory.h"
#include "taper/data/transforms/functional/geometry.h"
#include "taper/nn/functional/pad.h"

namespace taper::data::transforms::functional {
namespace {

/// Counts of padding.
struct Sides {
  std::int64_t left = 0, top = 0, right = 0, bottom = 0;
};

Sides parse_padding(const Shape& padding) {
  if (padding.size() == 1) return {padding[0], padding[0], padding[0], padding[0]};
  if (padding.size() == 2) return {padding[0], padding[1], padding[0], padding[1]};
  if (padding.size() == 4) return {padding[0], padding[1], padding[2], padding[3]};
  fail<ValueError>("pad: padding must have 1, 2 or 4 counts: got {}", padding);
}

/// Repeats the elements of a dimension in reverse order, before and after it.
Tensor pad_symmetric(const Tensor& x, std::int64_t dim, std::int64_t before, std::int64_t after) {
  const std::int64_t size = x.size(dim);
  if (before > size || after > size)
    fail<ShapeError>("pad: padding ({}, {}) exceeds dimension {} of image {}", before, after, dim,
                     x.shape());
  std::vector<std::int64_t> from;
  for (std::int64_t i = -before; i < size + after; ++i)
    from.push_back(i < 0 ? -i - 1 : i < size ? i : 2 * size - 1 - i);
  return from.empty() ? x : x.index_select(dim, tensor(from).to(x.device()));
}

Tensor pad_symmetric(const Tensor& x, const Sides& s) {
  const auto cropped = [](std::int64_t count) { return std::min<std::int64_t>(count, 0); };
  const auto padded = [](std::int64_t count) { return std::max<std::int64_t>(count, 0); };
  const Tensor rest = nn::functional::pad(
      x, {cropped(s.left), cropped(s.right), cropped(s.top), cropped(s.bottom)});
  return pad_symmetric(pad_symmetric(rest, -1, padded(s.left), padded(s.right)), -2, padded(s.top),
                       padded(s.bottom));
}

Tensor pad_channels(const Tensor& x, const Shape& counts, const Numbers& fill) {
  if (static_cast<std::int64_t>(fill.size()) != x.size(1))
    fail<ValueError>("pad: expected one fill value, or one per channel, got {} for {} channels",
                     fill.size(), x.size(1));
  const Tensor inside =
      nn::functional::pad(ones_like(x, {.dtype = DType::bool_}), counts, {.value = 0});
  const Tensor values =
      tensor(fill.values(), {.dtype = DType::f32}).to(x.device()).to(x.dtype()).reshape({-1, 1, 1});
  return where(inside, nn::functional::pad(x, counts), values);
}

}  // namespace

Tensor pad(const Tensor& image, const Shape& padding, const PadOptions& o) {
  check_image("pad", image);
  const Sides s = parse_padding(padding);
  const std::string& mode = o.padding_mode;
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "symmetric")
    fail<ValueError>(
        "pad: padding_mode must be 'constant', 'edge', 'reflect' or 'symmetric': got '{}'", mode);
  const bool per_channel = o.fill.size() > 1;
  if (per_channel && mode != "constant")
    fail<ValueError>("pad: padding_mode '{}' does not accept several fill values", mode);
  const Shape counts{s.left, s.right, s.top, s.bottom};
  const Tensor batch = to_batch(image);
  Tensor result;
  if (mode == "symmetric")
    result = pad_symmetric(batch, s);
  else if (mode != "constant")
    result = nn::functional::pad(batch, counts, {.mode = mode == "edge" ? "replicate" : "reflect"});
  else if (per_channel)
    result = pad_channels(batch, counts, o.fill);
  else
    result = nn::functional::pad(batch, counts,
                                 {.mode = mode, .value = o.fill.empty() ? 0.0 : o.fill[0]});
  return from_batch(result, image);
}

Tensor crop(const Tensor& image, IntArg top, IntArg left, IntArg height, IntArg width) {
  check_image("crop", image);
  if (height < 0 || width < 0)
    fail<ValueError>("crop: expected a non-negative size, got height {}, width {}", height, width);
  Tensor result = image;
  Sides outside;
  const auto crop_dim = [&](std::int64_t dim, std::int64_t begin, std::int64_t size,
                            std::int64_t& before, std::int64_t& after) {
    const ClippedRange inside = clip_range(begin, size, image.size(dim));
    if (inside.count != image.size(dim)) result = result.narrow(dim, inside.first, inside.count);
    before = inside.num_before;
    after = size - inside.count - before;
  };
  crop_dim(-2, top, height, outside.top, outside.bottom);
  crop_dim(-1, left, width, outside.left, outside.right);
  const Shape padding{outside.left, outside.top, outside.right, outside.bottom};
  return padding == Shape{0, 0, 0, 0} ? result : pad(result, padding);
}

Tensor center_crop(const Tensor& image, const Shape& output_size) {
  check_image("center_crop", image);
  const Shape size = to_size("center_crop", output_size);
  if (size[0] < 0 || size[1] < 0)
    fail<ValueError>("center_crop: expected a non-negative size, got {}", size);
  const auto before = [](std::int64_t crop, std::int64_t length) {
    return crop > length ? -((crop - length) / 2)
                         : round_to_integer(static_cast<double>(length - crop) / 2);
  };
  return crop(image, before(size[0], height_of(image)), before(size[1], width_of(image)), size[0],
              size[1]);
}

Tensor horizontal_flip(const Tensor& image) { return image.flip(-1); }
Tensor vertical_flip(const Tensor& image) { return image.flip(-2); }

std::vector<Tensor> five_crop(const Tensor& image, const Shape& size) {
  check_image("five_crop", image);
  const Shape crop_size = to_size("five_crop", size);
  const std::int64_t h = crop_size[0], w = crop_size[1];
  const std::int64_t bottom = height_of(image) - h, right = width_of(image) - w;
  if (bottom < 0 || right < 0)
    fail<ValueError>("five_crop: size {} is larger than the image of shape {}", crop_size,
                     image.shape());
  return {crop(image, 0, 0, h, w), crop(image, 0, right, h, w), crop(image, bottom, 0, h, w),
          crop(image, bottom, right, h, w), center_crop(image, crop_size)};
}

std::vector<Tensor> ten_crop(const Tensor& image, const Shape& size, bool vertical) {
  std::vector<Tensor> crops = five_crop(image, size);
  for (Tensor& one : five_crop(vertical ? vertical_flip(image) : horizontal_flip(image), size))
    crops.push_back(std::move(one));
  return crops;
}

}  // namespace taper::data::transforms::functional
