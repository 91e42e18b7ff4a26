// assign_result: in-place forms of ops that compute their result in new memory.
#pragma once
#include <string_view>

#include "core/check.h"
#include "ops/autocast.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"

namespace taper {

/// Copies the result of compute(), of the in-place form `op`, to `x` and returns `x`. Autocast does
/// not apply to operations in place and is disabled during the computation. Throws ShapeError if
/// the shapes differ, DTypeError if the dtype of the result is of a higher category.
template <class F>
const Tensor& assign_result(const Tensor& x, std::string_view op, const F& compute) {
  const AutocastPause pause;
  const Tensor result = compute();
  if (!(result.shape() == x.shape()))
    fail<ShapeError>("{}: output with shape {} doesn't match the broadcast shape {}", op, x.shape(),
                     result.shape());
  if (!can_cast(result.dtype(), x.dtype()))
    fail<DTypeError>("{}: result type {} can't be cast to the desired output type {}", op,
                     legacy_name(result.dtype()), legacy_name(x.dtype()));
  return x.copy_(result);
}

}  // namespace taper
