#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

inline constexpr DTypeSet kOrderedDTypes = DTypeSet::all | kOrderedUnsigned;

/// Clamps input to [min, max]. If min > max, the result is max. The gradient is zero at the bounds.
struct Clamp {
  std::optional<Scalar> min{}, max{};
  TAPER_ATTRIBUTES(min, max)
  static constexpr OpInfo op = pointwise("clamp", "ClampBackward1", "input", kOrderedDTypes, in(0));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Clamp>& b) const;
};
struct ClampMin {
  Scalar min = 0;
  TAPER_ATTRIBUTES(min)
  static constexpr OpInfo op =
      pointwise("clamp_min", "ClampMinBackward0", "input", kOrderedDTypes, in(0));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ClampMin>& b) const;
};
struct ClampMax {
  Scalar max = 0;
  TAPER_ATTRIBUTES(max)
  static constexpr OpInfo op =
      pointwise("clamp_max", "ClampMaxBackward0", "input", kOrderedDTypes, in(0));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ClampMax>& b) const;
};

/// As Clamp, with bounds that are tensors; either may be absent. Where input equals exactly one
/// bound, both share the gradient.
struct ClampTensor {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op =
      called("clamp", pointwise("clamp_tensor", "ClampBackward0", "input min? max?", kOrderedDTypes,
                                in(0) | in(1) | in(2)));
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ClampTensor>& b) const;
};

}  // namespace taper
