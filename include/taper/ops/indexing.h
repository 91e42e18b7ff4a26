// Indexing with tensors, gathering and joining.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>

#include "taper/core/scalar.h"

namespace taper {
class Tensor;

namespace ops {
/// Indices are i64 or i32 tensors; one out of range throws IndexError. Results that add up several
/// values at one place add them in the order of the indices.
struct IndexingMethods {
  /// The slices along `dim` that the vector `index` names, as a copy.
  Tensor index_select(std::int64_t dim, const Tensor& index) const;
  /// This tensor with alpha * source[..., i, ...] added to its slice index[i], for each i.
  Tensor index_add(std::int64_t dim, const Tensor& index, const Tensor& source,
                   const Scalar& alpha = 1) const;
  const Tensor& index_add_(std::int64_t dim, const Tensor& index, const Tensor& source,
                           const Scalar& alpha = 1) const;
  /// Elements picked along `dim`: result[i][j] = x[index[i][j]][j] for dim 0 of two. The result has
  /// the shape of `index`, which must lie within this tensor's in all other dimensions.
  Tensor gather(std::int64_t dim, const Tensor& index) const;
  /// This tensor with x[index[i][j]][j] = src[i][j] for dim 0 of two (the last of several stays),
  /// or with one number at all those places.
  Tensor scatter(std::int64_t dim, const Tensor& index, const Tensor& src) const;
  Tensor scatter(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  const Tensor& scatter_(std::int64_t dim, const Tensor& index, const Tensor& src) const;
  const Tensor& scatter_(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  /// The same, adding to what is there.
  Tensor scatter_add(std::int64_t dim, const Tensor& index, const Tensor& src) const;
  const Tensor& scatter_add_(std::int64_t dim, const Tensor& index, const Tensor& src) const;
};
}  // namespace ops

/// The tensors one behind the other along `dim`; their other sizes must agree. Dtypes are promoted;
/// tensors of shape [0] go with anything. PyTorch: torch.cat. Throws ShapeError, IndexError, and
/// ValueError for an empty list.
Tensor cat(std::span<const Tensor> tensors, std::int64_t dim = 0);
Tensor cat(std::initializer_list<Tensor> tensors, std::int64_t dim = 0);
/// Tensors of one shape along a new dimension `dim`. PyTorch: torch.stack.
Tensor stack(std::span<const Tensor> tensors, std::int64_t dim = 0);
Tensor stack(std::initializer_list<Tensor> tensors, std::int64_t dim = 0);

/// The slices of `input` along `dim` that the vector `index` names, as a copy.
/// PyTorch: torch.index_select.
Tensor index_select(const Tensor& input, std::int64_t dim, const Tensor& index);

/// result[i][j] = input[index[i][j]][j] for dim 0 of two. PyTorch: torch.gather.
Tensor gather(const Tensor& input, std::int64_t dim, const Tensor& index);
/// `input` with [index[i][j]][j] = src[i][j] for dim 0 of two. PyTorch: torch.scatter.
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& src);
/// The same, adding to what is there. PyTorch: torch.scatter_add.
Tensor scatter_add(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& src);

}  // namespace taper
