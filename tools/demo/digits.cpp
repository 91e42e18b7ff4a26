#include "digits.h"

#include <algorithm>
#include <vector>

#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/idx.h"

namespace demo {

using taper::DType;
using taper::Shape;
using taper::Tensor;

namespace {

/// For each new position along one dimension: two old positions and how much of each.
struct Blend {
  std::int64_t low, high;
  float low_weight, high_weight;
};

std::vector<Blend> blends(std::int64_t from, std::int64_t to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  std::vector<Blend> list;
  for (std::int64_t i = 0; i < to; ++i) {
    const float at = std::max(0.0f, (static_cast<float>(i) + 0.5f) * scale - 0.5f);
    const auto low = static_cast<std::int64_t>(at);
    const float high_weight = at - static_cast<float>(low);
    list.push_back({low, std::min(low + 1, from - 1), 1.0f - high_weight, high_weight});
  }
  return list;
}

void check(bool condition, const std::string& text) {
  if (!condition) throw taper::ValueError("digits: " + text);
}

}  // namespace

Tensor prepare(const Tensor& small, std::int64_t size) {
  const std::int64_t count = small.size(0), h = small.size(1), w = small.size(2);
  const auto rows = blends(h, size), columns = blends(w, size);
  const auto from = small.data<std::uint8_t>();
  std::vector<float> to;
  to.reserve(static_cast<std::size_t>(count * size * size));
  for (std::int64_t n = 0; n < count; ++n) {
    const auto pixel = [&](std::int64_t y, std::int64_t x) {
      return static_cast<float>(from[static_cast<std::size_t>((n * h + y) * w + x)]) / 16.0f;
    };
    for (const Blend& r : rows)
      for (const Blend& c : columns)
        to.push_back(r.low_weight * (c.low_weight * pixel(r.low, c.low) +
                                     c.high_weight * pixel(r.low, c.high)) +
                     r.high_weight * (c.low_weight * pixel(r.high, c.low) +
                                      c.high_weight * pixel(r.high, c.high)));
  }
  return taper::tensor(std::span<const float>(to), Shape{count, 1, size, size});
}

Digits load_digits(const std::string& folder) {
  Digits d;
  d.small = taper::data::read_idx(folder + "/digits-images.idx3-ubyte.gz");
  const Tensor labels = taper::data::read_idx(folder + "/digits-labels.idx1-ubyte.gz");
  check(d.small.dim() == 3 && d.small.dtype() == DType::u8 && d.small.size(1) > 0 &&
            d.small.size(2) > 0,
        "expected u8 images of rank 3, got shape " + d.small.shape().str());
  check(labels.dim() == 1 && labels.dtype() == DType::u8 && labels.size(0) == d.small.size(0),
        "expected as many labels as images, got shapes " + labels.shape().str() + " and " +
            d.small.shape().str());
  check(labels.size(0) > Digits::kTrain, "expected more than " + std::to_string(Digits::kTrain) +
                                             " images, got " + std::to_string(labels.size(0)));
  for (const std::uint8_t label : labels.data<std::uint8_t>())
    check(label < 10, "expected labels 0 to 9, got " + std::to_string(label));
  d.images = prepare(d.small, 28);
  d.labels = labels.to(DType::i64);
  return d;
}

}  // namespace demo
