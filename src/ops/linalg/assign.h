// assign_result: in-place forms of ops that compute their result in new memory.
#pragma once
#include <string_view>

#include "taper/core/tensor.h"

namespace taper {

/// Copies the result of the in-place form `op` to `x` and returns `x`. Throws ShapeError if the
/// shapes differ.
const Tensor& assign_result(const Tensor& x, const Tensor& result, std::string_view op);

}  // namespace taper
