// Result dtypes and broadcast shapes of mixed operands.
#pragma once
#include "ops/op.h"

namespace taper {

/// PyTorch's rule: tensors with dimensions decide, then 0-dim tensors, then plain numbers, where a
/// later group matters only if its kind (bool, integer, float) is higher.
DType result_type(std::span<const In> ins);
/// The broadcast of `a` and `b` into `a`. Throws ShapeError naming the op and both shapes.
void broadcast_into(Shape& a, const Shape& b, std::string_view op);
/// May values of dtype `from` be stored in place into `to`?
bool can_cast(DType from, DType to);
/// As PyTorch prints it in errors about results: Float, Long, Bool.
std::string_view legacy_name(DType t);

}  // namespace taper
