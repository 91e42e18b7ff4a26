// Uninitialized tensors, whose shape is unknown.
#pragma once
#include <cstdint>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/options.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Kind of an uninitialized tensor; `no` if the tensor has a shape.
enum class LazyKind : std::uint8_t { no, parameter, buffer };

/// Returns an uninitialized tensor. It supports conversions and copy_; all other ops throw
/// ValueError.
Tensor new_uninitialized(LazyKind kind, DType dtype, Device device);
/// Returns the kind of `t`; `no` if it has a shape or is undefined.
LazyKind lazy_kind(const Tensor& t);
/// Sets the shape of an uninitialized tensor in place; its elements are uninitialized memory.
/// Throws RuntimeError if the tensor has a shape.
void materialize(const Tensor& t, const Shape& shape, DType dtype, Device device);
/// Throws the ValueError that `op` reports for the uninitialized tensor `t`.
[[noreturn]] void throw_uninitialized(const Tensor& t, std::string_view op);

}  // namespace taper
