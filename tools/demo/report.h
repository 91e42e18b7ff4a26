// Report of the demo after training.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "digits.h"
#include "epochs.h"
#include "training.h"

namespace demo {

/// Confusion matrix of the test images: counts[true digit][predicted digit].
using Confusion = std::array<std::array<int, 10>, 10>;
std::string confusion_text(const Confusion& counts);

/// A misclassified test image.
struct Misclassified {
  std::int64_t image, label, prediction;
  double probability;  ///< probability of the prediction
};

struct Evaluation {
  Confusion confusion{};
  std::vector<Misclassified> mistakes;  ///< in descending order of probability
};
/// Returns the confusion matrix and the mistakes of `output`, the log-probabilities (N, 10) of the
/// test images, whose labels are `labels` (N).
Evaluation evaluate(const taper::Tensor& output, const taper::Tensor& labels);

/// Returns drawings of the first `count` mistakes in rows of four.
std::string mistakes_text(const std::vector<Misclassified>& mistakes, const taper::Tensor& small,
                          std::size_t count);

}  // namespace demo
