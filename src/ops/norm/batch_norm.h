#pragma once
#include "ops/op.h"

namespace taper {

/// Batch normalization per channel. Also returns the mean and the inverse standard deviation that
/// it used, which backward reads, and the biased variance of the batch if it is requested.
struct BatchNorm {
  bool training = false;
  double eps = 1e-5;
  bool wants_variance = false;
  TAPER_ATTRIBUTES(training, eps, wants_variance)
  static constexpr OpInfo op{.name = "native_batch_norm",
                             .node = "NativeBatchNormBackward0",
                             .inputs = "input weight? bias? running_mean? running_var?",
                             .outputs = "output save_mean save_invstd variance",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | in(1) | out(1) | out(2),
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .public_name = "batch_norm"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<BatchNorm>& b) const;
};

/// Computes the gradients of BatchNorm with respect to input, weight and bias.
struct BatchNormBackward {
  bool training = false;
  bool compute_grad_input = true, compute_grad_weight = true, compute_grad_bias = true;
  TAPER_ATTRIBUTES(training, compute_grad_input, compute_grad_weight, compute_grad_bias)
  static constexpr OpInfo op{.name = "native_batch_norm_backward",
                             .node = "NativeBatchNormBackwardBackward0",
                             .inputs = "grad input save_mean save_invstd weight?",
                             .outputs = "grad_input grad_weight grad_bias",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | in(1) | in(2) | in(3) | in(4),
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  /// In training mode, differentiates the gradient as a function of the input alone, on which the
  /// statistics depend.
  void backward(BackwardContext<BatchNormBackward>& b) const;
};

/// Computes input + momentum * (scale * batch - input): the update of running statistics.
struct RunningAverage {
  double momentum = 0.1, scale = 1;
  TAPER_ATTRIBUTES(momentum, scale)
  static constexpr OpInfo op{.name = "_running_average",
                             .inputs = "input batch",
                             .dtypes = DTypeSet::all,
                             .inplace = true};
  void infer(ShapeInference& i) const {
    i.check_same_shape(0, 1);
    i.set_output(i.shape(0), i.dtype(0));
  }
};

}  // namespace taper
