// take_along_dim: gather with broadcast operands.
#include "core/check.h"
#include "ops/forms.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"

namespace taper {
namespace {

/// Returns the indices with negative ones counted from the end of a dimension of size `size`. Those
/// out of range are unchanged, for the error of gather.
Tensor wrap_negative_indices(const Tensor& indices, std::int64_t size) {
  return where((indices < 0).logical_and(indices >= -size), indices + size, indices);
}

}  // namespace

Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<IntArg> dim) {
  if (indices.dtype() != DType::i64 && indices.dtype() != DType::i32)
    fail<DTypeError>("take_along_dim: dtype of indices should be Long but got {}", indices.dtype());
  if (!dim) return x.reshape(-1).gather(0, wrap_negative_indices(indices.reshape(-1), x.numel()));
  if (x.dim() != indices.dim())
    fail<ShapeError>(
        "take_along_dim: input and indices should have the same number of dimensions, but got {} "
        "dimensions for input, and {} dimensions for indices",
        x.dim(), indices.dim());
  const auto d = static_cast<std::size_t>(wrap_dim(*dim, x.shape().size(), "take_along_dim"));
  if (x.dim() == 0) return x.gather(0, wrap_negative_indices(indices, 1));
  Shape from = x.shape(), index_shape = indices.shape();
  from[d] = index_shape[d] = 1;
  broadcast_into(from, index_shape, "take_along_dim");
  index_shape = from;
  from[d] = x.shape()[d], index_shape[d] = indices.shape()[d];
  return x.expand(from).gather(*dim,
                               wrap_negative_indices(indices, x.shape()[d]).expand(index_shape));
}

Tensor ops::IndexingMethods::take_along_dim(const Tensor& indices,
                                            std::optional<IntArg> dim) const {
  return taper::take_along_dim(self_of(this), indices, dim);
}

}  // namespace taper
