// Indexing with tensors, gathering and joining.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Index;
class Tensor;

namespace ops {
/// Indices are i64 or i32 tensors; one out of range throws IndexError. Results that add up several
/// values at one place add them in the order of the indices. Methods with an underscore write into
/// this tensor and return it.
struct IndexingMethods {
  /// What x[{...}] reads, without the possibility to write: see Index. Throws IndexError for an
  /// index out of range, a mask of another shape, and more indices than dimensions.
  Tensor index(std::initializer_list<Index> indices) const;
  Tensor index(std::span<const Index> indices) const;
  /// This tensor with `values`, broadcast, at the places that `indices` name; of several values for
  /// one place the last stays, or all are added with `accumulate`. Throws DTypeError for values of
  /// another dtype, ShapeError for values that do not broadcast. PyTorch: Tensor.index_put.
  Tensor index_put(std::initializer_list<Index> indices, const Tensor& values,
                   bool accumulate = false) const;
  Tensor index_put(std::span<const Index> indices, const Tensor& values,
                   bool accumulate = false) const;
  const Tensor& index_put_(std::initializer_list<Index> indices, const Tensor& values,
                           bool accumulate = false) const;
  const Tensor& index_put_(std::span<const Index> indices, const Tensor& values,
                           bool accumulate = false) const;

  /// The slices along `dim` that the vector `index` names, as a copy.
  Tensor index_select(IntArg dim, const Tensor& index) const;
  /// This tensor with alpha * source[..., i, ...] added to its slice index[i], for each i.
  Tensor index_add(IntArg dim, const Tensor& index, const Tensor& source,
                   const Scalar& alpha = 1) const;
  const Tensor& index_add_(IntArg dim, const Tensor& index, const Tensor& source,
                           const Scalar& alpha = 1) const;
  /// This tensor with source[..., i, ...] in the place of its slice index[i] (the last of several).
  Tensor index_copy(IntArg dim, const Tensor& index, const Tensor& source) const;
  const Tensor& index_copy_(IntArg dim, const Tensor& index, const Tensor& source) const;
  /// This tensor with one number (a tensor: 0-dim) everywhere in its slices index[i], which may be
  /// negative.
  Tensor index_fill(IntArg dim, const Tensor& index, const Scalar& value) const;
  Tensor index_fill(IntArg dim, const Tensor& index, const Tensor& value) const;
  const Tensor& index_fill_(IntArg dim, const Tensor& index, const Scalar& value) const;
  const Tensor& index_fill_(IntArg dim, const Tensor& index, const Tensor& value) const;

  /// Elements picked along `dim`: result[i][j] = x[index[i][j]][j] for dim 0 of two. The result has
  /// the shape of `index`, which must lie within this tensor's in all other dimensions.
  Tensor gather(IntArg dim, const Tensor& index) const;
  /// gather with this tensor and `indices` broadcast against each other in the other dimensions;
  /// without a dimension, picks from the flattened tensor. Throws ShapeError unless both have the
  /// same number of dimensions, DTypeError unless the indices are integers.
  Tensor take_along_dim(const Tensor& indices, std::optional<IntArg> dim = {}) const;
  /// This tensor with x[index[i][j]][j] = src[i][j] for dim 0 of two (the last of several stays),
  /// or with one number at all those places.
  Tensor scatter(IntArg dim, const Tensor& index, const Tensor& src) const;
  Tensor scatter(IntArg dim, const Tensor& index, const Scalar& value) const;
  const Tensor& scatter_(IntArg dim, const Tensor& index, const Tensor& src) const;
  const Tensor& scatter_(IntArg dim, const Tensor& index, const Scalar& value) const;
  /// The same, adding to what is there.
  Tensor scatter_add(IntArg dim, const Tensor& index, const Tensor& src) const;
  const Tensor& scatter_add_(IntArg dim, const Tensor& index, const Tensor& src) const;

  /// This tensor, with one number (a tensor: 0-dim) where `mask` holds. The mask is a bool tensor
  /// (else DTypeError) that broadcasts against it.
  Tensor masked_fill(const Tensor& mask, const Scalar& value) const;
  Tensor masked_fill(const Tensor& mask, const Tensor& value) const;
  const Tensor& masked_fill_(const Tensor& mask, const Scalar& value) const;
  const Tensor& masked_fill_(const Tensor& mask, const Tensor& value) const;
  /// The elements where `mask` holds, one behind the other, as a copy.
  Tensor masked_select(const Tensor& mask) const;
  /// This tensor with the elements of `source`, in order, where `mask` holds. Throws ShapeError if
  /// `source` has too few.
  Tensor masked_scatter(const Tensor& mask, const Tensor& source) const;
  const Tensor& masked_scatter_(const Tensor& mask, const Tensor& source) const;
  /// The indices (count, dim()) of the elements that differ from 0, in row-major order. Throws
  /// NotImplementedError for a meta tensor: the count depends on data.
  Tensor nonzero() const;
};
}  // namespace ops

/// The tensors one behind the other along `dim`; their other sizes must agree. Dtypes are promoted;
/// tensors of shape [0] go with anything. PyTorch: torch.cat. Throws ShapeError, IndexError, and
/// ValueError for an empty list.
Tensor cat(std::span<const Tensor> tensors, IntArg dim = 0);
Tensor cat(std::initializer_list<Tensor> tensors, IntArg dim = 0);
/// Tensors of one shape along a new dimension `dim`. PyTorch: torch.stack.
Tensor stack(std::span<const Tensor> tensors, IntArg dim = 0);
Tensor stack(std::initializer_list<Tensor> tensors, IntArg dim = 0);

/// The slices of `input` along `dim` that the vector `index` names, as a copy.
/// PyTorch: torch.index_select.
Tensor index_select(const Tensor& input, IntArg dim, const Tensor& index);

/// result[i][j] = input[index[i][j]][j] for dim 0 of two. PyTorch: torch.gather.
Tensor gather(const Tensor& input, IntArg dim, const Tensor& index);
/// gather with both broadcast against each other. PyTorch: torch.take_along_dim.
Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<IntArg> dim = {});
/// `input` with [index[i][j]][j] = src[i][j] for dim 0 of two. PyTorch: torch.scatter.
Tensor scatter(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& src);
/// The same, adding to what is there. PyTorch: torch.scatter_add.
Tensor scatter_add(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& src);

/// `input` with a number where `mask` holds. PyTorch: torch.masked_fill.
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Scalar& value);
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Tensor& value);
/// The elements of `input` where `mask` holds. PyTorch: torch.masked_select.
Tensor masked_select(const Tensor& input, const Tensor& mask);
/// The indices of the elements that differ from 0. PyTorch: torch.nonzero.
Tensor nonzero(const Tensor& input);

}  // namespace taper
