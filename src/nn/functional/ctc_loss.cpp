#include "taper/nn/functional/ctc_loss.h"

#include "ops/loss/reduction.h"
#include "taper/ops/ctc_loss.h"

namespace taper::nn::functional {

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& o) {
  return taper::ctc_loss(log_probs, targets, input_lengths, target_lengths, o.blank,
                         taper::reduction_of(o.reduction, "ctc_loss"), o.zero_infinity);
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Shape& input_lengths,
                const Shape& target_lengths, const CTCLossFuncOptions& o) {
  return taper::ctc_loss(log_probs, targets, input_lengths, target_lengths, o.blank,
                         taper::reduction_of(o.reduction, "ctc_loss"), o.zero_infinity);
}

}  // namespace taper::nn::functional
