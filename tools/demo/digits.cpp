#include "digits.h"

#include "resize.h"
#include "taper/core/error.h"
#include "taper/data/idx.h"

namespace demo {

using taper::DType;
using taper::Shape;
using taper::Tensor;

namespace {

void check(bool condition, const std::string& text) {
  if (!condition) throw taper::ValueError("digits: " + text);
}

}  // namespace

Tensor resize_to_input(const Tensor& small, std::int64_t size) {
  return resize_images(small.unsqueeze(1), 16, size, size);
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
  d.images = resize_to_input(d.small, 28);
  d.labels = labels.to(DType::i64);
  return d;
}

}  // namespace demo
