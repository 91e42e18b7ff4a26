// Which dimensions a reduction runs over, and the shapes that follow.
#pragma once
#include <optional>
#include <string_view>

#include "ops/op.h"
#include "ops/reduce/fold.h"
#include "taper/core/tensor.h"

namespace taper::reduce {

/// The dimensions of the input to be reduced. No list, or an empty one, means all. Throws
/// IndexError, ValueError for a dimension that appears twice.
Mask mask_of(const std::optional<Shape>& dims, std::size_t rank, std::string_view op);
inline bool in_mask(Mask mask, std::size_t d) { return (mask >> d & 1) != 0; }
Shape result_shape(const Shape& input, Mask mask, bool keepdim);
/// How many elements go into one result.
std::int64_t count_of(const Shape& input, Mask mask);
/// Refuses to look for an extreme among no elements. Throws IndexError.
void need_elements(Infer& i, const std::optional<Shape>& dims);
/// `t`, shaped as a result, with the reduced dimensions back as size 1.
Tensor with_dims(const Tensor& t, const Shape& input, const std::optional<Shape>& dims,
                 bool keepdim, std::string_view op);
/// The same for one dimension.
Tensor with_dim(const Tensor& t, const Shape& input, std::int64_t dim, bool keepdim);
/// Returns the gradient of the input of an op that returns {values, indices} along `dim`: the
/// gradient of each value goes to the element at its index, all others are 0.
Tensor to_places(BackwardContextBase& b, const Tensor& indices, std::int64_t dim, bool keepdim);

inline const Tensor& self_of(const ops::ReduceMethods* m) { return *static_cast<const Tensor*>(m); }

}  // namespace taper::reduce
