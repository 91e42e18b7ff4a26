#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Computes input^exponent for a number `exponent`.
struct PowScalar {
  Scalar exponent = 2;
  TAPER_ATTRIBUTES(exponent)
  static constexpr OpInfo op = pointwise("pow", "PowBackward0", "input", DTypeSet::every, in(0));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<PowScalar>& b) const;
};

/// Computes input^exponent for two tensors.
struct PowTensor : PointwiseOp {
  static constexpr OpInfo op =
      called("pow", pointwise("pow_tensor", "PowBackward1", "input exponent", DTypeSet::no_bool,
                              in(0) | in(1) | out(0)));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<PowTensor>& b) const;
};

/// Computes self^exponent for a number `self`.
struct PowNumber {
  Scalar self = 2;
  TAPER_ATTRIBUTES(self)
  static constexpr OpInfo op =
      called("pow", out_of_place(pointwise("pow_number", "PowBackward2", "exponent",
                                           DTypeSet::every, in(0) | out(0))));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<PowNumber>& b) const;
};

}  // namespace taper
