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
struct LineNumber {
  double value = 0;
  std::optional<DType> dtype{};  ///< dtype of the tensor; absent for a float

  LineNumber(double v = 0) : value(v) {}
  LineNumber(double v, DType type) : value(v), dtype(type) { value = rounded(v); }
  /// Returns `v` rounded to the precision of this number.
  double rounded(double v) const {
    return dtype && *dtype != DType::f64 ? static_cast<double>(static_cast<float>(v)) : v;
  }
};
LineNumber operator+(LineNumber a, LineNumber b);
LineNumber operator-(LineNumber a, LineNumber b);
LineNumber operator*(LineNumber a, LineNumber b);
LineNumber operator/(LineNumber a, LineNumber b);
LineNumber operator-(LineNumber a);
LineNumber abs(LineNumber a);
LineNumber sqrt(LineNumber a);
bool operator<(LineNumber a, LineNumber b);
inline bool operator>(LineNumber a, LineNumber b) { return b < a; }
bool operator<=(LineNumber a, LineNumber b);
inline bool operator>=(LineNumber a, LineNumber b) { return b <= a; }

/// Returns the value and the dtype of a 0-dimensional tensor.
LineNumber number_of(const Tensor& t);

/// Loss and gradient at the point that is reached with step length t.
struct LinePoint {
  LineNumber t, loss;
  Tensor grad;
  LineNumber slope;  ///< <grad, direction>
};

/// Result of a line search.
struct LineResult {
  LinePoint point;
  std::int64_t evaluations = 0;
};

/// Returns a point that satisfies the strong Wolfe conditions, or the best point found. `evaluate`
/// computes the loss and the gradient for a length, `start` is the point of length 0, `t` the first
/// length, and `direction_max` the largest magnitude in the direction. The search ends when the
/// length of the bracket times `direction_max` is less than `tolerance_change`.
/// PyTorch: torch.optim.lbfgs._strong_wolfe.
LineResult strong_wolfe(const std::function<LinePoint(LineNumber t)>& evaluate,
                        const LinePoint& start, LineNumber t, LineNumber direction_max,
                        double tolerance_change);

}  // namespace taper::optim
