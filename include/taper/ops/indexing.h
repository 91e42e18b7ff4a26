// Indexing with tensors, gathering, scattering and concatenation.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Index;
class Tensor;

namespace ops {
/// Tensor methods that index, gather and scatter. Index tensors are i64 or i32; an index out of
/// range throws IndexError. Values that are accumulated at one position are added in the order of
/// the indices. Methods with a trailing underscore operate in place and return the tensor.
struct IndexingMethods {
  /// Returns the elements that `indices` select: a view if all indices are basic, otherwise a copy;
  /// see Index. Throws IndexError if an index is out of range, if a mask has a different shape, or
  /// if there are more indices than dimensions.
  Tensor index(std::initializer_list<Index> indices) const;
  Tensor index(std::span<const Index> indices) const;
  /// Returns a copy with `values`, broadcast, at the positions that `indices` select. If a position
  /// occurs more than once, the last value is stored; with `accumulate`, all values are added to
  /// the element. Throws DTypeError if the dtypes differ, ShapeError if the values cannot be
  /// broadcast. PyTorch: torch.Tensor.index_put.
  Tensor index_put(std::initializer_list<Index> indices, const Tensor& values,
                   bool accumulate = false) const;
  Tensor index_put(std::span<const Index> indices, const Tensor& values,
                   bool accumulate = false) const;
  const Tensor& index_put_(std::initializer_list<Index> indices, const Tensor& values,
                           bool accumulate = false) const;
  const Tensor& index_put_(std::span<const Index> indices, const Tensor& values,
                           bool accumulate = false) const;

  /// Returns a copy of the slices along `dim` at the positions in the vector `index`.
  /// PyTorch: torch.Tensor.index_select.
  Tensor index_select(IntArg dim, const Tensor& index) const;
  /// Returns a copy with alpha * source[..., i, ...] added to the slice index[i] along `dim`, for
  /// each i. PyTorch: torch.Tensor.index_add.
  Tensor index_add(IntArg dim, const Tensor& index, const Tensor& source,
                   const Scalar& alpha = 1) const;
  const Tensor& index_add_(IntArg dim, const Tensor& index, const Tensor& source,
                           const Scalar& alpha = 1) const;
  /// Returns a copy in which source[..., i, ...] replaces the slice index[i] along `dim`, for each
  /// i; the last one if an index occurs more than once. PyTorch: torch.Tensor.index_copy.
  Tensor index_copy(IntArg dim, const Tensor& index, const Tensor& source) const;
  const Tensor& index_copy_(IntArg dim, const Tensor& index, const Tensor& source) const;
  /// Returns a copy with the slices index[i] along `dim` filled with one value; a tensor value must
  /// be 0-dimensional. Indices may be negative. PyTorch: torch.Tensor.index_fill.
  Tensor index_fill(IntArg dim, const Tensor& index, const Scalar& value) const;
  Tensor index_fill(IntArg dim, const Tensor& index, const Tensor& value) const;
  const Tensor& index_fill_(IntArg dim, const Tensor& index, const Scalar& value) const;
  const Tensor& index_fill_(IntArg dim, const Tensor& index, const Tensor& value) const;

  /// Gathers elements along `dim`: result[i][j] = x[index[i][j]][j] for two dimensions and dim 0.
  /// The result has the shape of `index`, whose size must not exceed that of this tensor in any
  /// other dimension. PyTorch: torch.Tensor.gather.
  Tensor gather(IntArg dim, const Tensor& index) const;
  /// Gathers elements along `dim`, with this tensor and `indices` broadcast against each other in
  /// the other dimensions. Negative indices count from the end. Without `dim`, gathers from the
  /// flattened tensor. Throws ShapeError unless both have the same number of dimensions, DTypeError
  /// unless the indices are integers. PyTorch: torch.Tensor.take_along_dim.
  Tensor take_along_dim(const Tensor& indices, std::optional<IntArg> dim = {}) const;
  /// Returns a copy with x[index[i][j]][j] = src[i][j], or = value, for two dimensions and dim 0.
  /// If a position occurs more than once, the last value is stored. PyTorch: torch.Tensor.scatter.
  Tensor scatter(IntArg dim, const Tensor& index, const Tensor& src) const;
  Tensor scatter(IntArg dim, const Tensor& index, const Scalar& value) const;
  const Tensor& scatter_(IntArg dim, const Tensor& index, const Tensor& src) const;
  const Tensor& scatter_(IntArg dim, const Tensor& index, const Scalar& value) const;
  /// Returns a copy in which x[index[i][j]][j] is reduced with src[i][j], or with `value`, where
  /// `reduce` is "add" or "multiply". Not differentiable with respect to `src`.
  /// PyTorch: torch.Tensor.scatter(reduce).
  Tensor scatter(IntArg dim, const Tensor& index, const Tensor& src, std::string_view reduce) const;
  Tensor scatter(IntArg dim, const Tensor& index, const Scalar& value,
                 std::string_view reduce) const;
  const Tensor& scatter_(IntArg dim, const Tensor& index, const Tensor& src,
                         std::string_view reduce) const;
  const Tensor& scatter_(IntArg dim, const Tensor& index, const Scalar& value,
                         std::string_view reduce) const;
  /// Returns a copy with x[index[i][j]][j] += src[i][j], for two dimensions and dim 0.
  /// PyTorch: torch.Tensor.scatter_add.
  Tensor scatter_add(IntArg dim, const Tensor& index, const Tensor& src) const;
  const Tensor& scatter_add_(IntArg dim, const Tensor& index, const Tensor& src) const;

  /// Returns a copy with `value` where `mask` is true; a tensor value must be 0-dimensional. The
  /// mask must be broadcastable to the shape of the tensor. Throws DTypeError unless the mask is a
  /// bool tensor. PyTorch: torch.Tensor.masked_fill.
  Tensor masked_fill(const Tensor& mask, const Scalar& value) const;
  Tensor masked_fill(const Tensor& mask, const Tensor& value) const;
  const Tensor& masked_fill_(const Tensor& mask, const Scalar& value) const;
  const Tensor& masked_fill_(const Tensor& mask, const Tensor& value) const;
  /// Returns a 1-D copy of the elements where `mask` is true. PyTorch: torch.Tensor.masked_select.
  Tensor masked_select(const Tensor& mask) const;
  /// Returns a copy in which the elements where `mask` is true are replaced by the elements of
  /// `source`, in order. Throws ShapeError if `source` has fewer elements than the mask selects.
  /// PyTorch: torch.Tensor.masked_scatter.
  Tensor masked_scatter(const Tensor& mask, const Tensor& source) const;
  const Tensor& masked_scatter_(const Tensor& mask, const Tensor& source) const;
  /// Returns the indices of the nonzero elements as an i64 tensor `(count, dim())`, in row-major
  /// order. Throws NotImplementedError for a tensor on meta because the count depends on the data.
  /// PyTorch: torch.Tensor.nonzero.
  Tensor nonzero() const;
};
}  // namespace ops

/// Concatenates tensors along `dim`; their other sizes must be equal. Dtypes are promoted. Tensors
/// of shape (0) are ignored. Throws ValueError if the list is empty, ShapeError if sizes do not
/// match, IndexError if `dim` is out of range. PyTorch: torch.cat.
Tensor cat(std::span<const Tensor> tensors, IntArg dim = 0);
Tensor cat(std::initializer_list<Tensor> tensors, IntArg dim = 0);
/// Concatenates tensors of equal shape along a new dimension `dim`. Throws ValueError if the list
/// is empty, ShapeError if the shapes differ, IndexError if `dim` is out of range.
/// PyTorch: torch.stack.
Tensor stack(std::span<const Tensor> tensors, IntArg dim = 0);
Tensor stack(std::initializer_list<Tensor> tensors, IntArg dim = 0);

/// Returns a copy of the slices of `input` along `dim` at the positions in the vector `index`.
/// PyTorch: torch.index_select.
Tensor index_select(const Tensor& input, IntArg dim, const Tensor& index);

/// Gathers elements along `dim`: result[i][j] = input[index[i][j]][j] for two dimensions and dim 0.
/// PyTorch: torch.gather.
Tensor gather(const Tensor& input, IntArg dim, const Tensor& index);
/// Gathers elements along `dim`, with `input` and `indices` broadcast against each other in the
/// other dimensions. Negative indices count from the end. Without `dim`, gathers from the flattened
/// input. PyTorch: torch.take_along_dim.
Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<IntArg> dim = {});
/// Returns a copy of `input` with result[index[i][j]][j] = src[i][j] for two dimensions and dim 0.
/// PyTorch: torch.scatter.
Tensor scatter(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& src);
/// Returns a copy of `input` with result[index[i][j]][j] += src[i][j] for two dimensions and dim 0.
/// PyTorch: torch.scatter_add.
Tensor scatter_add(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& src);

/// Returns a copy of `input` with `value` where `mask` is true. PyTorch: torch.masked_fill.
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Scalar& value);
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Tensor& value);
/// Returns a 1-D copy of the elements of `input` where `mask` is true.
/// PyTorch: torch.masked_select.
Tensor masked_select(const Tensor& input, const Tensor& mask);
/// Returns the indices of the nonzero elements as an i64 tensor `(count, input.dim())`.
/// PyTorch: torch.nonzero.
Tensor nonzero(const Tensor& input);

}  // namespace taper
