#pragma once
#include "ops/linalg/matrix.h"

namespace taper {

/// Computes input @ weight^T + bias for input (M, K), weight (N, K) and bias (N).
struct Linear {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linear",
                             .node = "AddmmBackward0",
                             .inputs = "input weight bias",
                             .dtypes = DTypeSet::no_bool,
                             .saved = in(0) | in(1),
                             .autocast = AutocastPolicy::lower_precision,
                             .has_cpu_kernel = true,
                             .last_input_first = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Linear>& b) const;
  double flops(const KernelArgs& k) const;
};

/// Computes the requested gradients of Linear in one pass.
struct LinearBackward {
  bool compute_grad_input = true, compute_grad_weight = true, compute_grad_bias = true;
  TAPER_ATTRIBUTES(compute_grad_input, compute_grad_weight, compute_grad_bias)
  static constexpr OpInfo op{.name = "linear_backward",
                             .node = "LinearBackwardBackward0",
                             .inputs = "grad input weight",
                             .outputs = "grad_input grad_weight grad_bias",
                             .dtypes = DTypeSet::all,
                             .saved = in(0) | in(1) | in(2),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LinearBackward>& b) const;
  double flops(const KernelArgs& k) const;
};

}  // namespace taper
