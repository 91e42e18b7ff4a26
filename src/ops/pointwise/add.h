#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Computes input + alpha * other.
struct Add {
  Scalar alpha = 1;
  TAPER_ATTRIBUTES(alpha)
  static constexpr OpInfo op = pointwise("add", "AddBackward0", "input other", DTypeSet::all);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Add>& b) const;
};

/// Throws PyTorch's error for a subtraction with the unsupported dtype `i.common`.
void subtraction_error(const ShapeInference& i);

/// Computes input - alpha * other.
struct Sub {
  Scalar alpha = 1;
  TAPER_ATTRIBUTES(alpha)
  static constexpr OpInfo op = with_dtype_error(
      pointwise("sub", "SubBackward0", "input other", DTypeSet::no_bool), subtraction_error);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Sub>& b) const;
};

/// Computes other - alpha * input, for expressions such as `1 - x`.
struct Rsub {
  Scalar alpha = 1;
  TAPER_ATTRIBUTES(alpha)
  static constexpr OpInfo op = with_dtype_error(
      pointwise("rsub", "RsubBackward1", "input other", DTypeSet::no_bool), subtraction_error);
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Rsub>& b) const;
};

}  // namespace taper
