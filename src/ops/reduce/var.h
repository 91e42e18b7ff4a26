#pragma once
#include "ops/op.h"

namespace taper {

/// Variance over `dim`, or over all dimensions if absent, with divisor N - correction, or its
/// square root (`Root`). `WithMean` also returns the mean.
template <bool Root, bool WithMean> struct Variance {
  std::optional<Shape> dim{};
  Scalar correction = 1;
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, correction, keepdim)
  static void dtype_error(const ShapeInference& i) {
    i.fail<NotImplementedError>("only supports floating point dtypes: got {}", i.common);
  }
  static constexpr OpInfo op{
      .name = WithMean ? (Root ? "std_mean" : "var_mean") : (Root ? "std" : "var"),
      .node = WithMean ? (Root ? "StdMeanBackward0" : "VarMeanBackward0")
                       : (Root ? "StdBackward0" : "VarBackward0"),
      .inputs = "input",
      .outputs = WithMean ? "output mean" : "output",
      .dtypes = DTypeSet::floating,
      .saved = Root ? in(0) | out(0) : in(0),
      .has_cpu_kernel = true,
      .half_in_f32 = true,
      .dtype_error = dtype_error};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Variance>& b) const;
};

}  // namespace taper
