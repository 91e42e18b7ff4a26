// Cross entropy of class indices as one op that never stores the probabilities.
#pragma once
#include "ops/op.h"
#include "taper/core/optional_tensor.h"

namespace taper {

/// Computes nll_loss(log_softmax(input), target, weight) for scores (C) or (N, C), the sum of the
/// weights of the targets, and for each row the maximum of its scores and the logarithm of the sum
/// of e^(score - maximum), in the wider dtype of 16-bit scores.
struct CrossEntropyLoss {
  std::string reduction = "mean";
  std::int64_t ignore_index = -100;
  TAPER_ATTRIBUTES(reduction, ignore_index)
  static constexpr OpInfo op{.name = "cross_entropy_loss",
                             .node = "NllLossBackward0",
                             .inputs = "input target weight?",
                             .outputs = "output total_weight maximum log_sum",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | in(1) | in(2) | out(1) | out(2) | out(3),
                             .autocast = AutocastPolicy::f32,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .public_name = "cross_entropy"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<CrossEntropyLoss>& b) const;
};

/// Returns the first output of the op.
Tensor class_cross_entropy(const CrossEntropyLoss& op, const Tensor& input, const Tensor& target,
                           OptionalTensorRef weight);

/// Computes the gradient of the scores of CrossEntropyLoss.
struct CrossEntropyLossBackward {
  std::string reduction = "mean";
  std::int64_t ignore_index = -100;
  TAPER_ATTRIBUTES(reduction, ignore_index)
  static constexpr OpInfo op{
      .name = "cross_entropy_loss_backward",
      .inputs = "grad_output input target weight? total_weight maximum log_sum",
      .dtypes = DTypeSet::floating,
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
};

}  // namespace taper
