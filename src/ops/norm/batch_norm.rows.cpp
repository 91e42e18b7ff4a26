#include "ops/norm/batch_norm.h"
#include "ops/rows.h"

namespace taper {
namespace {
const Draw kAbsent = Draw::none();
const Draw kVariance(Shape{3}, 0.5, 2);
}  // namespace

TAPER_DEFINE_ROWS(native_batch_norm) {
  using B = BatchNorm;
  Row eval = row<B>({{2, 3, 4, 5}, {3}, {3}, {3}, kVariance}, {.training = false});
  eval.smooth = false;  // no gradients of running statistics; see tests/norm for others
  return {row<B>({{2, 3, 4, 5}, {3}, {3}, kAbsent, kAbsent},
                 {.training = true, .wants_variance = true}),
          row<B>({{7, 3}, kAbsent, kAbsent, kAbsent, kAbsent}, {.training = true, .eps = 0.1}),
          row<B>({{4, 20, 3}, {20}, kAbsent, kAbsent, kAbsent}, {.training = true}), eval};
}
TAPER_DEFINE_ROWS(native_batch_norm_backward) {
  using B = BatchNormBackward;
  // The gradient treats the statistics as functions of the input, which random samples are not.
  std::vector<Row> rows = {
      row<B>({{2, 3, 4, 5}, {2, 3, 4, 5}, {3}, kVariance, {3}}, {.training = true}),
      row<B>({{2, 3, 4, 5}, {2, 3, 4, 5}, {3}, kVariance, kAbsent},
             {.training = false, .compute_grad_weight = false}),
      row<B>({{7, 3}, {7, 3}, {3}, kVariance, {3}},
             {.training = true, .compute_grad_input = false})};
  for (Row& r : rows) r.smooth = false;
  return rows;
}
TAPER_DEFINE_ROWS(running_average) {
  return {row<RunningAverage>({{5}, {5}}, {.momentum = 0.3, .scale = 1.5})};
}

}  // namespace taper
