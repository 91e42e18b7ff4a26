// Result dtypes and broadcast shapes of mixed operands.
#pragma once
#include "core/dtype_table.h"
#include "ops/op.h"

namespace taper {

/// Returns the promoted dtype under PyTorch's rule: tensors with dimensions take precedence over
/// 0-dim tensors, and these over numbers. A later group counts only if its category (bool, integer,
/// float) is higher.
DType result_type(std::span<const OpInput> ins);
/// Returns the dtype in which kernels accumulate values of dtype `t`: float32 for 16-bit floats,
/// otherwise `t`. PyTorch: at::toOpMathType.
constexpr DType opmath_dtype(DType t) { return is_reduced_floating_point(t) ? DType::f32 : t; }
/// Broadcasts `a` with `b` and stores the result in `a`. Throws ShapeError naming the op and both
/// shapes.
void broadcast_into(Shape& a, const Shape& b, std::string_view op);
/// Returns the dtype name of PyTorch's errors about result types: Float, Long, Bool.
constexpr std::string_view legacy_name(DType t) { return names_of(t).scalar; }

}  // namespace taper
