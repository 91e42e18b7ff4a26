// Elements of the binary cross entropies.
#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Computes -(target * log(input) + (1 - target) * log(1 - input)) for probabilities. Logarithms
/// are at least -100, which limits the loss at probabilities 0 and 1.
struct BinaryCrossEntropy : PointwiseOp {
  static constexpr OpInfo op =
      out_of_place(pointwise("binary_cross_entropy", "BinaryCrossEntropyBackward0", "input target",
                             DTypeSet::floating, in(0) | in(1)));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<BinaryCrossEntropy>& b) const;
};

/// Computes the gradient of BinaryCrossEntropy with respect to its input: grad_output * (input -
/// target) / max((1 - input) * input, 1e-12).
struct BinaryCrossEntropyBackward : PointwiseOp {
  static constexpr OpInfo op = out_of_place(
      pointwise("binary_cross_entropy_backward", "BinaryCrossEntropyBackwardBackward0",
                "grad_output input target", DTypeSet::floating, in(0) | in(1) | in(2)));
  void backward(BackwardContext<BinaryCrossEntropyBackward>& b) const;
};

/// Computes -(pos_weight * target * log(sigmoid(input)) + (1 - target) * log(sigmoid(-input))) for
/// logits.
struct BinaryCrossEntropyWithLogits : PointwiseOp {
  static constexpr OpInfo op = out_of_place(
      pointwise("binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogitsBackward0",
                "input target pos_weight", DTypeSet::floating, in(0) | in(1) | in(2)));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<BinaryCrossEntropyWithLogits>& b) const;
};

/// Computes BinaryCrossEntropyWithLogits without positive weights.
struct LogitsCrossEntropy : PointwiseOp {
  static constexpr OpInfo op =
      called("binary_cross_entropy_with_logits",
             out_of_place(pointwise("logits_cross_entropy", "BinaryCrossEntropyWithLogitsBackward0",
                                    "input target", DTypeSet::floating, in(0) | in(1))));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LogitsCrossEntropy>& b) const;
};

/// Computes the gradient of LogitsCrossEntropy with respect to its input: grad_output *
/// (sigmoid(input) - target).
struct LogitsCrossEntropyBackward : PointwiseOp {
  static constexpr OpInfo op = out_of_place(
      pointwise("logits_cross_entropy_backward", "BinaryCrossEntropyWithLogitsBackwardBackward0",
                "grad_output input target", DTypeSet::floating, in(0) | in(1) | in(2)));
  void backward(BackwardContext<LogitsCrossEntropyBackward>& b) const;
};

/// Computes log(1 + exp(-input)), which is -log(sigmoid(input)), without overflow.
Tensor negative_log_sigmoid(const Tensor& input);
/// Computes the elements of the binary cross entropy of logits, without positive weights.
Tensor logits_cross_entropy(const Tensor& input, const Tensor& target);

/// Throws ValueError for an element that is not a probability. `operand` is the name of the tensor.
[[noreturn]] void reject_probability(std::string_view operand);

}  // namespace taper
