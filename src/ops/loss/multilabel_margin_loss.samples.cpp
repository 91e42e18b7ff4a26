#include "ops/loss/multilabel_margin_loss.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(multilabel_margin_loss) {
  using O = MultilabelMarginLoss;
  // With labels in {-1, 0, 1}, rows have none, some or repeated labels.
  const auto labels = [](Shape s) { return TensorSpec(std::move(s), -1, 2, DType::i64); };
  return {sample<O>({{1, 3}, labels({1, 3})}), sample<O>({{7, 5}, labels({7, 5})}),
          sample<O>({{40, 131}, labels({40, 131})})};
}

}  // namespace taper
