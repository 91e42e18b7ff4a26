// Reductions into selected elements, selection by flat index, and index tuples.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/options.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Index;
class NestedList;
class Tensor;

namespace ops {
/// Tensor methods that reduce into selected elements, or select elements by their index in the
/// flattened tensor. Index tensors are i64; an index out of range throws IndexError. Methods with a
/// trailing underscore operate in place and return the tensor.
struct ScatterMethods {
  /// Returns a copy in which x[index[i][j]][j] is reduced with src[i][j], for two dimensions and
  /// dim 0. `reduce` is "sum", "prod", "mean", "amax" or "amin". If `include_self` is false, the
  /// previous value of a selected element is excluded. Throws ValueError for another `reduce`.
  /// PyTorch: torch.Tensor.scatter_reduce.
  Tensor scatter_reduce(IntArg dim, const Tensor& index, const Tensor& src, std::string_view reduce,
                        bool include_self = true) const;
  const Tensor& scatter_reduce_(IntArg dim, const Tensor& index, const Tensor& src,
                                std::string_view reduce, bool include_self = true) const;
  /// Returns a copy in which the slice index[i] along `dim` is reduced with slice i of `source`.
  /// `reduce` is "prod", "mean", "amax" or "amin". PyTorch: torch.Tensor.index_reduce.
  Tensor index_reduce(IntArg dim, const Tensor& index, const Tensor& source,
                      std::string_view reduce, bool include_self = true) const;
  const Tensor& index_reduce_(IntArg dim, const Tensor& index, const Tensor& source,
                              std::string_view reduce, bool include_self = true) const;
  /// Returns the elements at `index` of the flattened tensor, in the shape of `index`. Negative
  /// indices count from the end. PyTorch: torch.Tensor.take.
  Tensor take(const Tensor& index) const;
  /// Returns a copy with the elements of `source` at `index` of the flattened tensor; with
  /// `accumulate`, they are added. Throws DTypeError if the dtypes differ, ShapeError unless
  /// `index` and `source` have the same number of elements. PyTorch: torch.Tensor.put.
  Tensor put(const Tensor& index, const Tensor& source, bool accumulate = false) const;
  const Tensor& put_(const Tensor& index, const Tensor& source, bool accumulate = false) const;
  Tensor argwhere() const;
  [[nodiscard]] std::vector<Tensor> nonzero_as_tuple() const;
  Tensor nonzero_static(IntArg size, IntArg fill_value = -1) const;

  /// Return a tensor with the dtype and device of this tensor, unless `options` specify others.
  /// PyTorch: torch.Tensor.new_empty, torch.Tensor.new_empty_strided, torch.Tensor.new_zeros,
  /// torch.Tensor.new_ones,
  /// torch.Tensor.new_full, torch.Tensor.new_tensor.
  Tensor new_empty(const Shape& size, const TensorOptions& options = {}) const;
  Tensor new_empty_strided(const Shape& size, const Shape& stride,
                           const TensorOptions& options = {}) const;
  Tensor new_zeros(const Shape& size, const TensorOptions& options = {}) const;
  Tensor new_ones(const Shape& size, const TensorOptions& options = {}) const;
  Tensor new_full(const Shape& size, const Scalar& fill_value,
                  const TensorOptions& options = {}) const;
  Tensor new_tensor(const NestedList& data, const TensorOptions& options = {}) const;
  /// Returns the tensor converted to the dtype and device of `other`. PyTorch:
  /// torch.Tensor.type_as.
  Tensor type_as(const Tensor& other) const;
};
}  // namespace ops

/// Function forms of the methods of Tensor. PyTorch: torch.scatter_reduce, torch.index_reduce,
/// torch.scatter, torch.take, torch.put, torch.nonzero_static.
Tensor scatter_reduce(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self = true);
Tensor index_reduce(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self = true);
Tensor scatter(const Tensor& input, IntArg dim, const Tensor& index, const Scalar& value);
Tensor scatter(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& src,
               std::string_view reduce);
Tensor scatter(const Tensor& input, IntArg dim, const Tensor& index, const Scalar& value,
               std::string_view reduce);
Tensor take(const Tensor& input, const Tensor& index);
Tensor put(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate = false);
Tensor nonzero_static(const Tensor& input, IntArg size, IntArg fill_value = -1);
/// Returns the indices of the nonzero elements as rows, as `nonzero`. PyTorch: torch.argwhere.
Tensor argwhere(const Tensor& input);
/// Returns the indices of the nonzero elements as a vector per dimension.
/// PyTorch: torch.nonzero(as_tuple=True), torch.where(condition).
[[nodiscard]] std::vector<Tensor> nonzero_as_tuple(const Tensor& input);
[[nodiscard]] std::vector<Tensor> where(const Tensor& condition);
/// Function forms of the methods of Tensor. PyTorch: torch.index_add, torch.index_copy,
/// torch.index_fill, torch.index_put, torch.masked_scatter.
Tensor index_add(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);
Tensor index_copy(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& source);
Tensor index_fill(const Tensor& input, IntArg dim, const Tensor& index, const Scalar& value);
Tensor index_fill(const Tensor& input, IntArg dim, const Tensor& index, const Tensor& value);
Tensor index_put(const Tensor& input, std::initializer_list<Index> indices, const Tensor& values,
                 bool accumulate = false);
Tensor index_put(const Tensor& input, std::span<const Index> indices, const Tensor& values,
                 bool accumulate = false);
Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source);
/// Returns the index in each dimension of a tensor of the given shape for indices into the
/// flattened tensor. Throws ValueError if an index is out of range. PyTorch: torch.unravel_index.
[[nodiscard]] std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);

}  // namespace taper
