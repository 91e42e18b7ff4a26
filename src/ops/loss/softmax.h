#pragma once
#include "ops/op.h"

namespace taper {

/// Computes softmax (with `Log`, log_softmax) along `dim`.
template <bool Log> struct Softmax {
  std::int64_t dim = -1;
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dim, dtype)
  static constexpr OpInfo op{.name = Log ? "log_softmax" : "softmax",
                             .node = Log ? "LogSoftmaxBackward0" : "SoftmaxBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .saved = out(0),
                             .layout = OutputLayout::propagate,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Softmax>& b) const;
};

/// Computes the gradient of the input of a softmax from the gradient of its output and its output.
template <bool Log> struct SoftmaxBackward {
  std::int64_t dim = -1;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{
      .name = Log ? "log_softmax_backward_data" : "softmax_backward_data",
      .node = Log ? "LogSoftmaxBackwardDataBackward0" : "SoftmaxBackwardDataBackward0",
      .inputs = "grad_output output",
      .dtypes = DTypeSet::floating,
      .saved = in(0) | in(1),
      .layout = OutputLayout::propagate,
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<SoftmaxBackward>& b) const;
};

}  // namespace taper
