#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// -input.
struct Neg : PointwiseOp {
  static constexpr OpInfo op = pointwise("neg", "NegBackward0", "input");
  void infer(Infer& i) const;
  void backward(BackwardContext<Neg>& b) const { b[0] = b.grad().neg(); }
};

/// |input|.
struct Abs : PointwiseOp {
  static constexpr OpInfo op = pointwise("abs", "AbsBackward0", "input", in(0));
  void infer(Infer& i) const;
  void backward(BackwardContext<Abs>& b) const { b[0] = b.grad() * b.input<0>().sign(); }
};

/// -1, 0 or 1; 0 for NaN.
struct Sign : PointwiseOp {
  static constexpr OpInfo op = pointwise("sign", "SignBackward0", "input");
  void backward(BackwardContext<Sign>& b) const { b[0] = no_influence(b, 0); }
};

}  // namespace taper
