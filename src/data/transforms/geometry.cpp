#include "taper/data/transforms/geometry.h"

#include <algorithm>
#include <cmath>

#include "data/transforms/area.h"
#include "data/transforms/draw.h"

namespace taper::data::transforms {

namespace F = functional;

Tensor Resize::transform(const Tensor& image, const Value&) const {
  return F::resize(image, size_, options_);
}
Tensor CenterCrop::transform(const Tensor& image, const Value&) const {
  return F::center_crop(image, size_);
}
Tensor Pad::transform(const Tensor& image, const Value&) const {
  return F::pad(image, padding_, options_);
}
Tensor RandomHorizontalFlip::transform(const Tensor& image, const Value&) const {
  return F::horizontal_flip(image);
}
Tensor RandomVerticalFlip::transform(const Tensor& image, const Value&) const {
  return F::vertical_flip(image);
}

namespace {

/// Concatenates the lists that `crop` returns for each image.
template <class Crop> std::vector<Tensor> crops_of(const std::vector<Tensor>& images, Crop&& crop) {
  std::vector<Tensor> results;
  for (const Tensor& image : images)
    for (Tensor& one : crop(image)) results.push_back(std::move(one));
  return results;
}

}  // namespace

std::vector<Tensor> FiveCrop::forward(const std::vector<Tensor>& images,
                                      const TransformContext&) const {
  return crops_of(images, [&](const Tensor& image) { return F::five_crop(image, size_); });
}
std::vector<Tensor> TenCrop::forward(const std::vector<Tensor>& images,
                                     const TransformContext&) const {
  return crops_of(images,
                  [&](const Tensor& image) { return F::ten_crop(image, size_, vertical_flip_); });
}

RandomCrop::RandomCrop(const Shape& size, RandomCropOptions options)
    : size_(to_size("RandomCrop", size)), options_(std::move(options)) {
  const std::size_t counts = options_.padding.size();
  if (counts > 4 || counts == 3)
    fail<ValueError>("RandomCrop: padding must have 1, 2 or 4 counts: got {}", options_.padding);
}

Value RandomCrop::make_params(const std::vector<Tensor>& images, const Generator& generator) const {
  const Tensor& image = first_image("RandomCrop", images);
  const Shape& p = options_.padding;
  Shape padding{0, 0, 0, 0};  // left, top, right, bottom
  for (std::size_t i = 0; i < 4 && !p.empty(); ++i) padding[i] = p[i % p.size()];
  Shape padded{height_of(image) + padding[1] + padding[3],
               width_of(image) + padding[0] + padding[2]};
  for (std::size_t d = 0; d < 2 && options_.pad_if_needed; ++d)
    if (const std::int64_t missing = size_[d] - padded[d]; missing > 0) {
      padding[1 - d] += missing, padding[3 - d] += missing;
      padded[d] += 2 * missing;
    }
  if (padded[0] < size_[0] || padded[1] < size_[1])
    fail<ValueError>("RandomCrop: crop size {} is larger than the padded image of size {}", size_,
                     padded);
  Shape begin{0, 0};
  for (std::size_t d = 0; d < 2; ++d)
    if (padded[d] > size_[d]) begin[d] = draw_integer(0, padded[d] - size_[d] + 1, generator);
  return Value::dict({{"needs_crop", padded != size_},
                      {"top", begin[0]},
                      {"left", begin[1]},
                      {"height", size_[0]},
                      {"width", size_[1]},
                      {"needs_pad", padding != Shape{0, 0, 0, 0}},
                      {"padding", list_of(padding)}});
}

Tensor RandomCrop::transform(const Tensor& image, const Value& params) const {
  Tensor result = image;
  if (params["needs_pad"].as_bool())
    result = F::pad(result, shape_param(params, "padding"),
                    {.fill = options_.fill, .padding_mode = options_.padding_mode});
  if (params["needs_crop"].as_bool())
    result = F::crop(result, int_param(params, "top"), int_param(params, "left"),
                     int_param(params, "height"), int_param(params, "width"));
  return result;
}

RandomResizedCrop::RandomResizedCrop(const Shape& size, RandomResizedCropOptions options)
    : size_(to_size("RandomResizedCrop", size)), options_(std::move(options)) {
  check_ratio("RandomResizedCrop", options_.ratio);
}

Value RandomResizedCrop::make_params(const std::vector<Tensor>& images,
                                     const Generator& generator) const {
  const Tensor& image = first_image("RandomResizedCrop", images);
  const std::int64_t height = height_of(image), width = width_of(image);
  const auto to_params = [](std::int64_t top, std::int64_t left, std::int64_t h, std::int64_t w) {
    return Value::dict({{"top", top}, {"left", left}, {"height", h}, {"width", w}});
  };
  for (int attempt = 0; attempt < 10; ++attempt) {
    const RandomArea area = draw_area(height * width, options_.scale, options_.ratio, generator);
    const std::int64_t w = area.times_ratio, h = area.over_ratio;
    if (!(w > 0 && w <= width && h > 0 && h <= height)) continue;
    const std::int64_t top = draw_integer(0, height - h + 1, generator);
    return to_params(top, draw_integer(0, width - w + 1, generator), h, w);
  }
  const auto [low, high] = std::minmax(options_.ratio[0], options_.ratio[1]);
  const double ratio = static_cast<double>(width) / static_cast<double>(height);
  std::int64_t w = width, h = height;
  if (ratio < low)
    h = round_to_integer(static_cast<double>(w) / low);
  else if (ratio > high)
    w = round_to_integer(static_cast<double>(h) * high);
  return to_params((height - h) / 2, (width - w) / 2, h, w);
}

Tensor RandomResizedCrop::transform(const Tensor& image, const Value& params) const {
  return F::resized_crop(
      image, int_param(params, "top"), int_param(params, "left"), int_param(params, "height"),
      int_param(params, "width"), size_,
      {.interpolation = options_.interpolation, .antialias = options_.antialias});
}

RandomZoomOut::RandomZoomOut(RandomZoomOutOptions options)
    : ProbableTransform(options.p), options_(std::move(options)) {
  const auto& range = options_.side_range;
  if (!(range[0] >= 1 && range[0] <= range[1]))
    fail<ValueError>("RandomZoomOut: invalid side_range: got ({}, {}), expected 1 <= min <= max",
                     range[0], range[1]);
}

Value RandomZoomOut::make_params(const std::vector<Tensor>& images,
                                 const Generator& generator) const {
  const Tensor& image = first_image("RandomZoomOut", images);
  const std::int64_t h = height_of(image), w = width_of(image);
  const auto& range = options_.side_range;
  const auto scaled = [](std::int64_t length, float factor) {
    return truncate_to_integer(static_cast<float>(length) * factor);
  };
  const float factor =
      static_cast<float>(range[0]) + draw_unit(generator) * static_cast<float>(range[1] - range[0]);
  const std::int64_t canvas_w = scaled(w, factor), canvas_h = scaled(h, factor);
  const Tensor position = rand({2}, {.dtype = DType::f32}, generator);
  const std::int64_t left = scaled(canvas_w - w, position.data<float>()[0]),
                     top = scaled(canvas_h - h, position.data<float>()[1]);
  return Value::dict(
      {{"padding", list_of({left, top, canvas_w - (left + w), canvas_h - (top + h)})}});
}

Tensor RandomZoomOut::transform(const Tensor& image, const Value& params) const {
  return F::pad(image, shape_param(params, "padding"), {.fill = options_.fill});
}

}  // namespace taper::data::transforms
