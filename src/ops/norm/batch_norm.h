#pragma once
#include "ops/op.h"

namespace taper {

/// Normalisation per channel. Beside the result it gives what it normalised with, for backward, and
/// on demand the biased variance of the batch.
struct BatchNorm {
  bool training = false;
  double eps = 1e-5;
  bool wants_variance = false;
  TAPER_ATTRIBUTES(training, eps, wants_variance)
  static constexpr OpInfo op{.name = "native_batch_norm",
                             .node = "NativeBatchNormBackward0",
                             .inputs = "input weight? bias? running_mean? running_var?",
                             .outputs = "output save_mean save_invstd variance",
                             .saved = in(0) | in(1) | out(1) | out(2),
                             .autocast = Autocast::f32,
                             .cpu = true};
  void infer(Infer& i) const;
  void backward(BackwardContext<BatchNorm>& b) const;
};

/// The gradients of BatchNorm with respect to input, weight and bias.
struct BatchNormBackward {
  bool training = false;
  bool wants_input = true, wants_weight = true, wants_bias = true;
  TAPER_ATTRIBUTES(training, wants_input, wants_weight, wants_bias)
  static constexpr OpInfo op{.name = "native_batch_norm_backward",
                             .node = "NativeBatchNormBackwardBackward0",
                             .inputs = "grad input save_mean save_invstd weight?",
                             .outputs = "grad_input grad_weight grad_bias",
                             .saved = in(0) | in(1) | in(2) | in(3) | in(4),
                             .cpu = true};
  void infer(Infer& i) const;
  /// The derivative of what training's backward is as a function of the input, statistics included.
  void backward(BackwardContext<BatchNormBackward>& b) const;
};

/// input + momentum * (scale * batch - input): running statistics.
struct RunningAverage {
  double momentum = 0.1, scale = 1;
  TAPER_ATTRIBUTES(momentum, scale)
  static constexpr OpInfo op{.name = "_running_average", .inputs = "input batch", .inplace = true};
  void infer(Infer& i) const { i.give(i.shape(0), i.dtype(0)); }
};

}  // namespace taper
