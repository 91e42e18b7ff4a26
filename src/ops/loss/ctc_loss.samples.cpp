#include "ops/loss/ctc_loss.h"
#include "ops/samples.h"

namespace taper {
namespace {

TensorSpec log_probs(Shape s) { return TensorSpec(std::move(s), -3, -0.5); }
TensorSpec integers(Shape s, int low, int end) {
  return TensorSpec(std::move(s), low, end, DType::i64);
}

}  // namespace

TAPER_DEFINE_SAMPLES(ctc_loss) {
  return {sample<CtcLoss>({log_probs({6, 3, 5}), integers({3, 2}, 1, 5), integers({3}, 5, 7),
                           integers({3}, 0, 3)}),
          sample<CtcLoss>({log_probs({20, 4, 7}), integers({4, 5}, 0, 6), integers({4}, 12, 21),
                           integers({4}, 1, 6)},
                          {.blank = 6}),
          sample<CtcLoss>({log_probs({1, 1, 2}), integers({1, 1}, 1, 2), integers({1}, 1, 2),
                           integers({1}, 1, 2)})};
}

TAPER_DEFINE_SAMPLES(ctc_loss_backward) {
  const auto alpha = [](Shape s) { return TensorSpec(std::move(s), -9, -1); };
  return {sample<CtcLossBackward>({{3},
                                   log_probs({6, 3, 5}),
                                   integers({3, 2}, 1, 5),
                                   integers({3}, 5, 7),
                                   integers({3}, 0, 3),
                                   TensorSpec({3}, 1, 9),
                                   alpha({3, 6, 5})}),
          sample<CtcLossBackward>({{4},
                                   log_probs({9, 4, 7}),
                                   integers({4, 3}, 0, 6),
                                   integers({4}, 8, 10),
                                   integers({4}, 1, 4),
                                   TensorSpec({4}, 1, 9),
                                   alpha({4, 9, 7})},
                                  {.blank = 6, .zero_infinity = true})};
}

}  // namespace taper
