// Handwritten digits, prepared for the network.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace training {}

namespace demo {
using namespace training;

struct Digits {
  static constexpr std::int64_t kTrain = 1437;  ///< number of training images

  taper::Tensor small;   ///< u8 (N, 8, 8), values 0 to 16
  taper::Tensor images;  ///< f32 (N, 1, 28, 28), values 0 to 1
  taper::Tensor labels;  ///< i64 (N)

  taper::Tensor train_images() const { return images.narrow(0, 0, kTrain); }
  taper::Tensor train_labels() const { return labels.narrow(0, 0, kTrain); }
  taper::Tensor test_images() const { return images.narrow(0, kTrain, test_count()); }
  taper::Tensor test_labels() const { return labels.narrow(0, kTrain, test_count()); }
  std::int64_t test_count() const { return labels.size(0) - kTrain; }
};

/// Reads digits-images.idx3-ubyte.gz and digits-labels.idx1-ubyte.gz in a directory. Throws
/// taper::Error if the files do not contain the digits.
Digits load_digits(const std::string& folder);

/// Converts u8 images (N, h, w) of values 0 to 16 to f32 (N, 1, size, size): divides by 16, and
/// enlarges bilinearly with half-pixel centers, as F.interpolate(align_corners=False).
taper::Tensor resize_to_input(const taper::Tensor& small, std::int64_t size);

}  // namespace demo
