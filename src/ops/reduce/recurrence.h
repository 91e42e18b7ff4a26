#pragma once
#include "ops/op.h"

namespace taper {

/// Computes y[i] = factor[i] * y[i - 1] + term[i] along `dim`, where y is 0 before the first
/// element. If `reverse` is true, starts at the last element: y[i] = factor[i] * y[i + 1] +
/// term[i]. Gradients of cumulative products are such recurrences; unlike divisions by the factors,
/// they are defined for zeros.
struct LinearRecurrence {
  std::int64_t dim = 0;
  bool reverse = false;
  TAPER_ATTRIBUTES(dim, reverse)
  static constexpr OpInfo op{.name = "_linear_recurrence",
                             .node = "LinearRecurrenceBackward0",
                             .inputs = "factor term",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | out(0)};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LinearRecurrence>& b) const;
};

/// Returns `x` shifted by one element along `dim`: element i is x[i - 1], or x[i + 1] if `reverse`
/// is true, and `border` at the border.
Tensor shifted(const Tensor& x, std::int64_t dim, bool reverse, double border);

/// Returns the products of all preceding elements along `dim`; of all following elements if
/// `reverse` is true.
Tensor exclusive_cumprod(const Tensor& x, std::int64_t dim, bool reverse);

/// Returns the gradient of `x` for the gradient `g` of x.cumprod(dim), or of the products from the
/// last element on if `reverse` is true.
Tensor cumprod_gradient(const Tensor& x, const Tensor& g, std::int64_t dim, bool reverse);

}  // namespace taper
