// Linear function.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of linear.
struct LinearFuncOptions {
  OptionalTensor bias{};  ///< `(out)`
};
/// Computes input W^T + bias for input `(..., in)` and weight W `(out, in)`: `(..., out)`; for a
/// weight `(in)`: `(...)`. Throws ShapeError if sizes do not match, DTypeError if the dtypes
/// differ. PyTorch: torch.nn.functional.linear.
///
///   F::linear(x, w, b), F::linear(x, w, {.bias = b})
Tensor linear(const Tensor& input, const Tensor& weight, const LinearFuncOptions& options = {});
// A template, which braces never match: GCC ignores the name of a field in braces that convert to a
// class with constructors.
template <std::convertible_to<OptionalTensorRef> T>
Tensor linear(const Tensor& input, const Tensor& weight, const T& bias) {
  return functional::linear(input, weight, LinearFuncOptions{.bias = OptionalTensorRef(bias)});
}

}  // namespace nn::functional
}  // namespace taper
