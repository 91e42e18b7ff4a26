// What the demo says when the training is over.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "digits.h"
#include "epochs.h"
#include "training.h"

namespace demo {

/// How the test images were read: counts[true digit][predicted digit].
using Confusion = std::array<std::array<int, 10>, 10>;
std::string confusion_text(const Confusion& counts);

/// A test image that was read wrongly.
struct Mistake {
  std::int64_t image, label, prediction;
  double probability;  ///< that the network gave to its prediction
};

struct Verdict {
  Confusion confusion{};
  std::vector<Mistake> mistakes;  ///< those the network was surest of first
};
/// From log-probabilities (N, 10) of the test images.
Verdict judge(const taper::Tensor& output, const taper::Tensor& labels);

/// The first `count` mistakes, drawn side by side.
std::string mistakes_text(const std::vector<Mistake>& mistakes, const taper::Tensor& small,
                          std::size_t count);

}  // namespace demo
