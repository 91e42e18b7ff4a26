#include "ops/loss/binary_cross_entropy.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(binary_cross_entropy) {
  const auto probabilities = [](Shape s) { return TensorSpec(std::move(s), 0.1, 0.9); };
  return {sample<BinaryCrossEntropy>({probabilities({2, 3}), probabilities({2, 3})}),
          sample<BinaryCrossEntropy>({probabilities({2, 3, 4, 5}), probabilities({2, 3, 4, 5})}),
          sample<BinaryCrossEntropy>({probabilities({131}), probabilities({131})}),
          sample<BinaryCrossEntropy>({probabilities({}), probabilities({})})};
}

TAPER_DEFINE_SAMPLES(binary_cross_entropy_backward) {
  using O = BinaryCrossEntropyBackward;
  const auto probabilities = [](Shape s) { return TensorSpec(std::move(s), 0.1, 0.9); };
  return {sample<O>({{2, 3}, probabilities({2, 3}), probabilities({2, 3})}),
          sample<O>({{2, 3, 4, 5}, probabilities({2, 3, 4, 5}), probabilities({2, 3, 4, 5})}),
          sample<O>({{131}, probabilities({131}), probabilities({131})})};
}

TAPER_DEFINE_SAMPLES(binary_cross_entropy_with_logits) {
  using O = BinaryCrossEntropyWithLogits;
  const auto logits = [](Shape s) { return TensorSpec(std::move(s), -4, 4); };
  const auto targets = [](Shape s) { return TensorSpec(std::move(s), 0, 1); };
  const auto weights = [](Shape s) { return TensorSpec(std::move(s), 0.5, 2); };
  return {sample<O>({logits({2, 3}), targets({2, 3}), weights({})}),
          sample<O>({logits({2, 3}), targets({2, 3}), weights({3})}),
          sample<O>({logits({2, 3, 4, 5}), targets({2, 3, 4, 5}), weights({3, 1, 1})}),
          sample<O>({logits({131}), targets({131}), weights({131})})};
}

TAPER_DEFINE_SAMPLES(logits_cross_entropy) {
  using O = LogitsCrossEntropy;
  const auto logits = [](Shape s) { return TensorSpec(std::move(s), -4, 4); };
  const auto targets = [](Shape s) { return TensorSpec(std::move(s), 0, 1); };
  return {sample<O>({logits({2, 3}), targets({2, 3})}),
          sample<O>({logits({2, 3, 4, 5}), targets({2, 3, 4, 5})}),
          sample<O>({logits({131}), targets({131})})};
}

TAPER_DEFINE_SAMPLES(logits_cross_entropy_backward) {
  using O = LogitsCrossEntropyBackward;
  const auto logits = [](Shape s) { return TensorSpec(std::move(s), -4, 4); };
  const auto targets = [](Shape s) { return TensorSpec(std::move(s), 0, 1); };
  return {sample<O>({{2, 3}, logits({2, 3}), targets({2, 3})}),
          sample<O>({{2, 3, 4, 5}, logits({2, 3, 4, 5}), targets({2, 3, 4, 5})}),
          sample<O>({{131}, logits({131}), targets({131})})};
}

}  // namespace taper
