// Transforms whose parameter is the size of the result.
#include <algorithm>

#include "data/transforms/draw.h"
#include "taper/data/transforms/geometry.h"

namespace taper::data::transforms {
namespace {

Value size_params(const Shape& size) { return Value::dict({{"size", list_of(size)}}); }

}  // namespace

Tensor RandomSizeTransform::transform(const Tensor& image, const Value& params) const {
  return functional::resize(
      image, shape_param(params, "size"),
      {.interpolation = options_.interpolation, .antialias = options_.antialias});
}

ScaleJitter::ScaleJitter(const Shape& target_size, std::array<double, 2> scale_range,
                         RandomSizeOptions options)
    : RandomSizeTransform(std::move(options)),
      target_size_(target_size),
      scale_range_(scale_range) {
  if (target_size.size() != 2)
    fail<ValueError>("ScaleJitter: target_size must have two numbers (h, w): got {}", target_size);
}

Value ScaleJitter::make_params(const std::vector<Tensor>& images,
                               const Generator& generator) const {
  const Tensor& image = first_image("ScaleJitter", images);
  const auto h = static_cast<double>(height_of(image)), w = static_cast<double>(width_of(image));
  // Computed in float, as tensors of one element are in torchvision; so are the products below. The
  // target sizes are exchanged there, too.
  const float scale = static_cast<float>(scale_range_[0]) +
                      draw_unit(generator) * static_cast<float>(scale_range_[1] - scale_range_[0]);
  const float ratio = static_cast<float>(std::min(static_cast<double>(target_size_[1]) / h,
                                                  static_cast<double>(target_size_[0]) / w)) *
                      scale;
  return size_params({truncate_to_integer(static_cast<float>(h) * ratio),
                      truncate_to_integer(static_cast<float>(w) * ratio)});
}

RandomShortestSize::RandomShortestSize(Shape min_size, std::optional<std::int64_t> max_size,
                                       RandomSizeOptions options)
    : RandomSizeTransform(std::move(options)), min_size_(std::move(min_size)), max_size_(max_size) {
  if (min_size_.empty()) fail<ValueError>("RandomShortestSize: min_size is empty");
}

Value RandomShortestSize::make_params(const std::vector<Tensor>& images,
                                      const Generator& generator) const {
  const Tensor& image = first_image("RandomShortestSize", images);
  const auto h = static_cast<double>(height_of(image)), w = static_cast<double>(width_of(image));
  const auto chosen = static_cast<std::size_t>(
      draw_integer(0, static_cast<std::int64_t>(min_size_.size()), generator));
  double ratio = static_cast<double>(min_size_[chosen]) / std::min(h, w);
  if (max_size_) ratio = std::min(ratio, static_cast<double>(*max_size_) / std::max(h, w));
  return size_params({truncate_to_integer(h * ratio), truncate_to_integer(w * ratio)});
}

RandomResize::RandomResize(IntArg min_size, IntArg max_size, RandomSizeOptions options)
    : RandomSizeTransform(std::move(options)), min_size_(min_size), max_size_(max_size) {
  if (min_size_ >= max_size_)
    fail<ValueError>("RandomResize: min_size must be less than max_size: got {} and {}", min_size_,
                     max_size_);
}

Value RandomResize::make_params(const std::vector<Tensor>&, const Generator& generator) const {
  return size_params({draw_integer(min_size_, max_size_, generator)});
}

}  // namespace taper::data::transforms
