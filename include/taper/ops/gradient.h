// Numerical gradient of sampled functions.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Returns, for each of the dimensions `dim`, the derivative estimated by second-order central
/// differences; at both ends by differences of order `edge_order`, 1 or 2. Default: all dimensions.
/// `spacing` is the distance of the samples: one number for all dimensions, a number for each, or a
/// 1-dimensional tensor of coordinates for each. The results have the shape of `input`. Throws
/// ShapeError if a dimension has fewer than edge_order + 1 elements or the number of spacings does
/// not match, ValueError for another edge_order or a repeated dimension, IndexError for a dimension
/// out of range. PyTorch: torch.gradient.
[[nodiscard]] std::vector<Tensor> gradient(const Tensor& input, const Scalar& spacing = 1,
                                           const std::optional<Dims>& dim = {},
                                           IntArg edge_order = 1);
[[nodiscard]] std::vector<Tensor> gradient(const Tensor& input, const std::vector<Scalar>& spacing,
                                           const std::optional<Dims>& dim = {},
                                           IntArg edge_order = 1);
[[nodiscard]] std::vector<Tensor> gradient(const Tensor& input, const std::vector<Tensor>& spacing,
                                           const std::optional<Dims>& dim = {},
                                           IntArg edge_order = 1);

}  // namespace taper
