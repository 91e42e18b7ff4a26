// Pointwise ops of three tensors, and lerp.
#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Computes input + value * tensor1 * tensor2.
struct Addcmul {
  Scalar value = 1;
  TAPER_ATTRIBUTES(value)
  static constexpr OpInfo op = pointwise("addcmul", "AddcmulBackward0", "input tensor1 tensor2",
                                         DTypeSet::no_bool, in(1) | in(2));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Addcmul>& b) const;
};

/// Computes input + value * tensor1 / tensor2.
struct Addcdiv {
  Scalar value = 1;
  TAPER_ATTRIBUTES(value)
  static void dtype_error(const ShapeInference& i);
  static constexpr OpInfo op =
      with_dtype_error(pointwise("addcdiv", "AddcdivBackward0", "input tensor1 tensor2",
                                 DTypeSet::floating, in(1) | in(2)),
                       dtype_error);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Addcdiv>& b) const;
};

/// Computes input + weight * (end - input).
struct Lerp {
  Scalar weight = 0;
  TAPER_ATTRIBUTES(weight)
  static constexpr OpInfo op = pointwise("lerp", "LerpBackward0", "input end", DTypeSet::floating);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Lerp>& b) const;
};
/// As Lerp, with one weight per element.
struct LerpTensor : PointwiseOp {
  static constexpr OpInfo op =
      called("lerp", pointwise("lerp_tensor", "LerpBackward1", "input end weight",
                               DTypeSet::floating, in(0) | in(1) | in(2)));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LerpTensor>& b) const;
};

/// Computes input where condition is true, otherwise other.
struct Where : PointwiseOp {
  static constexpr OpInfo op = with_condition(out_of_place(
      pointwise("where", "WhereBackward0", "condition input other", DTypeSet::every, in(0))));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Where>& b) const;
};

}  // namespace taper
