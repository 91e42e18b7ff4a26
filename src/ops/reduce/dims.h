// Reduced dimensions and result shapes of reductions.
#pragma once
#include <optional>
#include <string_view>

#include "ops/op.h"
#include "ops/reduce/fold.h"
#include "taper/core/tensor.h"

namespace taper::reduce {

/// Returns the mask of the reduced dimensions. An absent or empty list means all dimensions. Throws
/// IndexError if a dimension is out of range, ValueError if it appears twice.
Mask mask_of(const std::optional<Shape>& dims, std::size_t rank, std::string_view op);
/// Returns true if dimension d is reduced.
inline bool in_mask(Mask mask, std::size_t d) { return (mask >> d & 1) != 0; }
/// Returns `input` without the reduced dimensions, or with size 1 in their place if `keepdim` is
/// set.
Shape result_shape(const Shape& input, Mask mask, bool keepdim);
/// Returns the number of elements reduced into one result.
std::int64_t reduced_numel(const Shape& input, Mask mask);
/// Throws IndexError if an extremum would be computed over zero elements.
void check_has_elements(ShapeInference& i, const std::optional<Shape>& dims);
/// Returns `t`, of the shape of a result, with the reduced dimensions restored as size 1.
Tensor restore_dims(const Tensor& t, const Shape& input, const std::optional<Shape>& dims,
                    bool keepdim, std::string_view op);
/// As restore_dims, for one dimension.
Tensor restore_dim(const Tensor& t, const Shape& input, std::int64_t dim, bool keepdim);
/// Returns the gradient of the input of an op that returns {values, indices} along `dim`: the
/// gradient of each value is assigned to the element at its index, all other elements are 0.
Tensor scatter_to_indices(BackwardContextBase& b, const Tensor& indices, std::int64_t dim,
                          bool keepdim);

}  // namespace taper::reduce
