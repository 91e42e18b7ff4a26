// Tensors whose shape is not known yet: what lazy modules begin with.
#pragma once
#include <cstdint>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/options.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Is the shape still unknown, and of what kind of tensor?
enum class Lazy : std::uint8_t { no, parameter, buffer };

/// A tensor without a shape: it converts and takes copy_, every other op throws ValueError.
Tensor new_lazy(Lazy kind, DType dtype, Device device);
Lazy lazy_kind(const Tensor& t);
/// Gives it a shape and elements that are not initialised, in place. Throws RuntimeError for a
/// tensor that has a shape.
void materialize(const Tensor& t, const Shape& shape, DType dtype, Device device);
/// Throws the ValueError of an op that got such a tensor.
[[noreturn]] void throw_lazy(const Tensor& t, std::string_view op);

}  // namespace taper
