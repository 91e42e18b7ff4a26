// Line search of LBFGS.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "taper/core/dtype.h"
#include "taper/core/tensor.h"

namespace taper::optim {

/// Number that is either a float of Python or a 0-dimensional tensor, whose arithmetic rounds to
/// its dtype.
struct TypedScalar {
  double value = 0;
  std::optional<DType> dtype{};  ///< dtype of the tensor; absent for a float

  TypedScalar(double v = 0) : value(v) {}
  TypedScalar(double v, DType type) : value(v), dtype(type) { value = round_to_dtype(v); }
  /// Returns `v` rounded to the precision of this number.
  double round_to_dtype(double v) const {
    return dtype && *dtype != DType::f64 ? static_cast<double>(static_cast<float>(v)) : v;
  }
};
TypedScalar operator+(TypedScalar a, TypedScalar b);
TypedScalar operator-(TypedScalar a, TypedScalar b);
TypedScalar operator*(TypedScalar a, TypedScalar b);
TypedScalar operator/(TypedScalar a, TypedScalar b);
TypedScalar operator-(TypedScalar a);
TypedScalar abs(TypedScalar a);
TypedScalar sqrt(TypedScalar a);
bool operator<(TypedScalar a, TypedScalar b);
inline bool operator>(TypedScalar a, TypedScalar b) { return b < a; }
bool operator<=(TypedScalar a, TypedScalar b);
inline bool operator>=(TypedScalar a, TypedScalar b) { return b <= a; }

/// Returns the value and the dtype of a 0-dimensional tensor.
TypedScalar to_typed_scalar(const Tensor& t);

/// Loss and gradient at the point that is reached with step length t.
struct LineSearchPoint {
  TypedScalar t, loss;
  Tensor grad;
  TypedScalar slope;  ///< <grad, direction>
};

/// Result of a line search.
struct LineSearchResult {
  LineSearchPoint point;
  std::int64_t evaluations = 0;
};

/// Returns a point that satisfies the strong Wolfe conditions, or the best point found. `evaluate`
/// computes the loss and the gradient for a length, `start` is the point of length 0, `t` the first
/// length, and `direction_max` the largest magnitude in the direction. The search ends when the
/// length of the bracket times `direction_max` is less than `tolerance_change`.
/// PyTorch: torch.optim.lbfgs._strong_wolfe.
LineSearchResult strong_wolfe(const std::function<LineSearchPoint(TypedScalar t)>& evaluate,
                              const LineSearchPoint& start, TypedScalar t,
                              TypedScalar direction_max, double tolerance_change);

}  // namespace taper::optim
