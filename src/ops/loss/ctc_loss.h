#pragma once
#include <vector>

#include "ops/op.h"

namespace taper {

/// Connectionist temporal classification of log-probabilities (T, N, C) with padded targets (N, S):
/// the losses (N), and the logarithms of the forward variables (N, T, 2 S + 1).
struct CtcLoss {
  std::int64_t blank = 0;
  TAPER_ATTRIBUTES(blank)
  static constexpr OpInfo op{.name = "ctc_loss",
                             .inputs = "log_probs targets input_lengths target_lengths",
                             .outputs = "output log_alpha",
                             .dtypes = DTypeSet::full_precision,
                             .autocast = AutocastPolicy::f32,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
};

/// Gradient of CtcLoss with respect to the input of the log_softmax that computed `log_probs`.
struct CtcLossBackward {
  std::int64_t blank = 0;
  bool zero_infinity = false;  ///< infinite losses have gradient 0
  TAPER_ATTRIBUTES(blank, zero_infinity)
  static constexpr OpInfo op{
      .name = "ctc_loss_backward",
      .inputs = "grad_output log_probs targets input_lengths target_lengths output log_alpha",
      .dtypes = DTypeSet::full_precision,
      .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
};

}  // namespace taper
