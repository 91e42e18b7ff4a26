#include "resize.h"

#include <algorithm>
#include <vector>

#include "taper/core/factory.h"

namespace training {

using taper::Shape;
using taper::Tensor;

namespace {

/// Interpolation weights: for each new index along one dimension, two old indices and their
/// weights.
struct InterpolationWeights {
  std::int64_t low, high;
  float low_weight, high_weight;
};

std::vector<InterpolationWeights> compute_weights(std::int64_t from, std::int64_t to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  std::vector<InterpolationWeights> list;
  for (std::int64_t i = 0; i < to; ++i) {
    const float source_position = std::max(0.0f, (static_cast<float>(i) + 0.5f) * scale - 0.5f);
    const auto low = static_cast<std::int64_t>(source_position);
    const float high_weight = source_position - static_cast<float>(low);
    list.push_back({low, std::min(low + 1, from - 1), 1.0f - high_weight, high_weight});
  }
  return list;
}

}  // namespace

Tensor resize_images(const Tensor& images, int max_value, std::int64_t height, std::int64_t width) {
  const Tensor contiguous_images = images.contiguous();
  const std::int64_t count = contiguous_images.size(0) * contiguous_images.size(1),
                     h = contiguous_images.size(2), w = contiguous_images.size(3);
  const auto rows = compute_weights(h, height), columns = compute_weights(w, width);
  const auto from = contiguous_images.data<std::uint8_t>();
  std::vector<float> to;
  to.reserve(static_cast<std::size_t>(count * height * width));
  for (std::int64_t n = 0; n < count; ++n) {
    const auto pixel = [&](std::int64_t y, std::int64_t x) {
      return static_cast<float>(from[static_cast<std::size_t>((n * h + y) * w + x)]) /
             static_cast<float>(max_value);
    };
    for (const InterpolationWeights& r : rows)
      for (const InterpolationWeights& c : columns)
        to.push_back(r.low_weight * (c.low_weight * pixel(r.low, c.low) +
                                     c.high_weight * pixel(r.low, c.high)) +
                     r.high_weight * (c.low_weight * pixel(r.high, c.low) +
                                      c.high_weight * pixel(r.high, c.high)));
  }
  return taper::tensor(std::span<const float>(to),
                       Shape{contiguous_images.size(0), contiguous_images.size(1), height, width});
}

}  // namespace training
