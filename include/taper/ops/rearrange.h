// Rearranging, joining and splitting tensors.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/options.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods that rearrange elements and dimensions. Dimensions may be negative (from the
/// end); IndexError is thrown if one is out of range. Methods without a comment are documented as
/// the free functions below.
struct RearrangeMethods {
  // Views.
  Tensor movedim(const Dims& source, const Dims& destination) const;
  Tensor moveaxis(const Dims& source, const Dims& destination) const;
  Tensor swapaxes(IntArg axis0, IntArg axis1) const;
  Tensor swapdims(IntArg dim0, IntArg dim1) const;
  /// Returns the tensor with its dimensions reversed. PyTorch: torch.Tensor.T.
  Tensor T() const;
  /// Returns the transpose of a matrix; the tensor itself if it is 0-dimensional. Throws ShapeError
  /// for other numbers of dimensions. PyTorch: torch.Tensor.H.
  Tensor H() const;
  /// Exchanges the last two dimensions. PyTorch: torch.Tensor.mH, torch.Tensor.adjoint.
  Tensor mH() const;
  Tensor adjoint() const;
  Tensor ravel() const;
  /// Returns `view(other.shape())`. PyTorch: torch.Tensor.view_as.
  Tensor view_as(const Tensor& other) const;
  /// Returns `reshape(other.shape())`. PyTorch: torch.Tensor.reshape_as.
  Tensor reshape_as(const Tensor& other) const;
  Tensor broadcast_to(const Shape& size) const;
  /// Returns a view of all slices of `size` elements along `dimension`, `step` apart; a dimension
  /// of the given size is appended. Throws ValueError if `step` is not positive or `size` is
  /// negative, ShapeError if it exceeds the dimension. PyTorch: torch.Tensor.unfold.
  Tensor unfold(IntArg dimension, IntArg size, IntArg step) const;

  // Copies.
  Tensor narrow_copy(IntArg dim, IntArg start, IntArg length) const;
  Tensor flip(const Dims& dims) const;
  Tensor fliplr() const;
  Tensor flipud() const;
  Tensor roll(const Shape& shifts, const Dims& dims = {}) const;
  Tensor rot90(IntArg k = 1, const Dims& dims = {0, 1}) const;
  /// Repeats the tensor the given number of times in each dimension; dimensions are prepended if
  /// there are more numbers than dimensions. Throws ShapeError if there are fewer, ValueError if a
  /// number is negative. PyTorch: torch.Tensor.repeat.
  Tensor repeat(const Shape& repeats) const;
  Tensor tile(const Shape& dims) const;
  Tensor repeat_interleave(IntArg repeats, std::optional<IntArg> dim = {},
                           std::optional<IntArg> output_size = {}) const;
  Tensor repeat_interleave(const Tensor& repeats, std::optional<IntArg> dim = {},
                           std::optional<IntArg> output_size = {}) const;

  // Diagonals and slices.
  Tensor diag(IntArg diagonal = 0) const;
  Tensor diag_embed(IntArg offset = 0, IntArg dim1 = -2, IntArg dim2 = -1) const;
  Tensor diagflat(IntArg offset = 0) const;
  Tensor diagonal_scatter(const Tensor& src, IntArg offset = 0, IntArg dim1 = 0,
                          IntArg dim2 = 1) const;
  Tensor select_scatter(const Tensor& src, IntArg dim, IntArg index) const;
  Tensor slice_scatter(const Tensor& src, IntArg dim = 0, std::optional<IntArg> start = {},
                       std::optional<IntArg> end = {}, IntArg step = 1) const;
  Tensor as_strided_scatter(const Tensor& src, const Shape& size, const Shape& stride,
                            std::optional<IntArg> storage_offset = {}) const;
  /// Overwrites the diagonal, whose indices are equal in all dimensions, with `value`. If `wrap` is
  /// set, the diagonal of a matrix with more rows than columns continues after a row of other
  /// elements. Throws ShapeError for fewer than 2 dimensions, or for more than 2 dimensions of
  /// different sizes. PyTorch: torch.Tensor.fill_diagonal_.
  const Tensor& fill_diagonal_(const Scalar& value, bool wrap = false) const;
  /// Sets the elements below (`triu_`) or above (`tril_`) a diagonal to 0, in place.
  /// PyTorch: torch.Tensor.triu_, torch.Tensor.tril_.
  const Tensor& triu_(IntArg diagonal = 0) const;
  const Tensor& tril_(IntArg diagonal = 0) const;

  // Splitting.
  [[nodiscard]] std::vector<Tensor> tensor_split(std::int64_t sections, IntArg dim = 0) const;
  [[nodiscard]] std::vector<Tensor> tensor_split(const Shape& indices, IntArg dim = 0) const;
  [[nodiscard]] std::vector<Tensor> tensor_split(const Tensor& indices_or_sections,
                                                 IntArg dim = 0) const;
  template <std::same_as<bool> B>  // a bool is not a number of sections
  [[nodiscard]] std::vector<Tensor> tensor_split(B, IntArg dim = 0) const = delete;
  [[nodiscard]] std::vector<Tensor> hsplit(std::int64_t sections) const;
  [[nodiscard]] std::vector<Tensor> hsplit(const Shape& indices) const;
  [[nodiscard]] std::vector<Tensor> vsplit(std::int64_t sections) const;
  [[nodiscard]] std::vector<Tensor> vsplit(const Shape& indices) const;
  [[nodiscard]] std::vector<Tensor> dsplit(std::int64_t sections) const;
  [[nodiscard]] std::vector<Tensor> dsplit(const Shape& indices) const;
  [[nodiscard]] std::vector<Tensor> split_with_sizes(const Shape& split_sizes,
                                                     IntArg dim = 0) const;
  [[nodiscard]] std::vector<Tensor> unsafe_split(IntArg split_size, IntArg dim = 0) const;
  [[nodiscard]] std::vector<Tensor> unsafe_chunk(IntArg chunks, IntArg dim = 0) const;
};
}  // namespace ops

// Views. They share elements with the input.

/// Moves dimensions to other positions; the others retain their order. Throws ValueError if a
/// dimension is repeated, ShapeError if the lists differ in length. PyTorch: torch.movedim,
/// torch.moveaxis.
Tensor movedim(const Tensor& input, const Dims& source, const Dims& destination);
Tensor moveaxis(const Tensor& input, const Dims& source, const Dims& destination);
/// Exchanges two dimensions, as `transpose`. PyTorch: torch.swapaxes, torch.swapdims.
Tensor swapaxes(const Tensor& input, IntArg axis0, IntArg axis1);
Tensor swapdims(const Tensor& input, IntArg dim0, IntArg dim1);
/// Exchanges the last two dimensions. PyTorch: torch.adjoint.
Tensor adjoint(const Tensor& input);
/// Returns the input as a vector; a copy if a view is not possible. PyTorch: torch.ravel.
Tensor ravel(const Tensor& input);
/// Broadcasts the input to `size`, as `expand`. PyTorch: torch.broadcast_to.
Tensor broadcast_to(const Tensor& input, const Shape& size);
/// Broadcasts the tensors to a common shape. Throws ShapeError if this is not possible.
/// PyTorch: torch.broadcast_tensors.
[[nodiscard]] std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors);
[[nodiscard]] std::vector<Tensor> broadcast_tensors(std::initializer_list<Tensor> tensors);
/// Returns the common shape of tensors with these shapes. Throws ShapeError if they cannot be
/// broadcast, ValueError for a negative size. PyTorch: torch.broadcast_shapes.
Shape broadcast_shapes(std::span<const Shape> shapes);
Shape broadcast_shapes(std::initializer_list<Shape> shapes);
/// Returns the input with at least 1, 2 or 3 dimensions. A vector `(N)` becomes `(1, N)` and
/// `(1, N, 1)`, a matrix `(M, N)` becomes `(M, N, 1)`. PyTorch: torch.atleast_1d,
/// torch.atleast_2d, torch.atleast_3d.
Tensor atleast_1d(const Tensor& input);
Tensor atleast_2d(const Tensor& input);
Tensor atleast_3d(const Tensor& input);
/// Function forms of the methods of Tensor. PyTorch: torch.t, torch.select, torch.narrow,
/// torch.unbind, torch.unflatten, torch.as_strided, torch.split.
Tensor t(const Tensor& input);
Tensor select(const Tensor& input, IntArg dim, IntArg index);
Tensor narrow(const Tensor& input, IntArg dim, IntArg start, IntArg length);
Tensor narrow(const Tensor& input, IntArg dim, const Tensor& start, IntArg length);
[[nodiscard]] std::vector<Tensor> unbind(const Tensor& input, IntArg dim = 0);
Tensor unflatten(const Tensor& input, IntArg dim, const Shape& sizes);
Tensor as_strided(const Tensor& input, const Shape& size, const Shape& stride,
                  std::optional<IntArg> storage_offset = {});
[[nodiscard]] std::vector<Tensor> split(const Tensor& input, const Shape& sizes, IntArg dim = 0);

// Copies with elements in another order.

/// Returns a copy of `length` elements from `start` along `dim`. PyTorch: torch.narrow_copy.
Tensor narrow_copy(const Tensor& input, IntArg dim, IntArg start, IntArg length);
/// Reverses the order of the elements along `dims`. Throws ValueError if a dimension is repeated.
/// PyTorch: torch.flip.
Tensor flip(const Tensor& input, const Dims& dims);
/// Reverses dimension 1 (`fliplr`) or 0 (`flipud`). Throws ShapeError if the input does not have
/// this dimension. PyTorch: torch.fliplr, torch.flipud.
Tensor fliplr(const Tensor& input);
Tensor flipud(const Tensor& input);
/// Shifts the elements along `dims`; those beyond the last position re-enter at the first. Without
/// `dims`, the flattened input is shifted. Throws ValueError unless there is a shift per dimension.
/// PyTorch: torch.roll.
Tensor roll(const Tensor& input, const Shape& shifts, const Dims& dims = {});
/// Rotates the plane of two dimensions by 90 degrees, `k` times from the first to the second.
/// Throws ValueError unless `dims` are two different dimensions. PyTorch: torch.rot90.
Tensor rot90(const Tensor& input, IntArg k = 1, const Dims& dims = {0, 1});
/// Repeats the input as `Tensor::repeat`; ones are prepended to `dims` if they are fewer than the
/// dimensions. PyTorch: torch.tile.
Tensor tile(const Tensor& input, const Shape& dims);
/// Repeats each element `repeats` times along `dim`, by default of the flattened input. A tensor
/// holds the number for each position, or one for all. Throws ShapeError if their number does not
/// match the dimension or the sum `output_size`, ValueError if one is negative.
/// PyTorch: torch.repeat_interleave.
Tensor repeat_interleave(const Tensor& input, IntArg repeats, std::optional<IntArg> dim = {},
                         std::optional<IntArg> output_size = {});
Tensor repeat_interleave(const Tensor& input, const Tensor& repeats, std::optional<IntArg> dim = {},
                         std::optional<IntArg> output_size = {});
/// Returns each index i repeated repeats[i] times. PyTorch: torch.repeat_interleave.
Tensor repeat_interleave(const Tensor& repeats);

// Diagonals and slices.

/// Returns a diagonal of a matrix, or a matrix with a vector as its diagonal. Throws ShapeError for
/// other numbers of dimensions. PyTorch: torch.diag.
Tensor diag(const Tensor& input, IntArg diagonal = 0);
/// Returns matrices in dimensions dim1 and dim2 whose diagonals are the last dimension of the
/// input; the other elements are 0. PyTorch: torch.diag_embed.
Tensor diag_embed(const Tensor& input, IntArg offset = 0, IntArg dim1 = -2, IntArg dim2 = -1);
/// Returns a matrix with the flattened input as its diagonal. PyTorch: torch.diagflat.
Tensor diagflat(const Tensor& input, IntArg offset = 0);
/// Return a copy of the input in which `src` replaces a diagonal, the slice at `index`, a range of
/// slices, or the elements of a strided view. Throw ShapeError unless `src` has the shape of the
/// replaced part. PyTorch: torch.diagonal_scatter, torch.select_scatter, torch.slice_scatter,
/// torch.as_strided_scatter.
Tensor diagonal_scatter(const Tensor& input, const Tensor& src, IntArg offset = 0, IntArg dim1 = 0,
                        IntArg dim2 = 1);
Tensor select_scatter(const Tensor& input, const Tensor& src, IntArg dim, IntArg index);
Tensor slice_scatter(const Tensor& input, const Tensor& src, IntArg dim = 0,
                     std::optional<IntArg> start = {}, std::optional<IntArg> end = {},
                     IntArg step = 1);
Tensor as_strided_scatter(const Tensor& input, const Tensor& src, const Shape& size,
                          const Shape& stride, std::optional<IntArg> storage_offset = {});
/// Returns the `(2, N)` row and column indices of the lower (upper) triangular part of a
/// `(row, col)` matrix up to (from) the diagonal `offset`. The default dtype is i64. Throws
/// ValueError for negative sizes. PyTorch: torch.tril_indices, torch.triu_indices.
Tensor tril_indices(IntArg row, IntArg col, IntArg offset = 0, const TensorOptions& options = {});
Tensor triu_indices(IntArg row, IntArg col, IntArg offset = 0, const TensorOptions& options = {});
/// Returns the `(M, N)` matrix of the powers N-1, ..., 1, 0 of a vector `(M)`, or in ascending
/// order; N is M by default. PyTorch: torch.vander.
Tensor vander(const Tensor& x, std::optional<IntArg> N = {}, bool increasing = false);

// Joining.

/// Concatenates tensors, as `cat`. PyTorch: torch.concat, torch.concatenate.
Tensor concat(std::span<const Tensor> tensors, IntArg dim = 0);
Tensor concat(std::initializer_list<Tensor> tensors, IntArg dim = 0);
Tensor concatenate(std::span<const Tensor> tensors, IntArg dim = 0);
Tensor concatenate(std::initializer_list<Tensor> tensors, IntArg dim = 0);
/// Concatenate tensors along dimension 1 (0 for vectors), 0, or 2, with at least 1, 2 or 3
/// dimensions; `column_stack` first turns vectors into columns. Throw ValueError for an empty list.
/// PyTorch: torch.hstack, torch.vstack, torch.row_stack, torch.dstack, torch.column_stack.
Tensor hstack(std::span<const Tensor> tensors);
Tensor hstack(std::initializer_list<Tensor> tensors);
Tensor vstack(std::span<const Tensor> tensors);
Tensor vstack(std::initializer_list<Tensor> tensors);
Tensor row_stack(std::span<const Tensor> tensors);
Tensor row_stack(std::initializer_list<Tensor> tensors);
Tensor dstack(std::span<const Tensor> tensors);
Tensor dstack(std::initializer_list<Tensor> tensors);
Tensor column_stack(std::span<const Tensor> tensors);
Tensor column_stack(std::initializer_list<Tensor> tensors);
/// Returns a matrix with the given matrices on its diagonal; tensors of fewer than two dimensions
/// are rows. Throws ShapeError for more dimensions. PyTorch: torch.block_diag.
Tensor block_diag(std::span<const Tensor> tensors);
Tensor block_diag(std::initializer_list<Tensor> tensors);
/// Returns grids of coordinates: tensor i varies along dimension i with the elements of vector i.
/// With `indexing` "xy", the first two dimensions are exchanged. Throws ValueError for an empty
/// list or another `indexing`, ShapeError unless the inputs are vectors or 0-dimensional,
/// DTypeError unless their dtypes are equal. PyTorch: torch.meshgrid.
[[nodiscard]] std::vector<Tensor> meshgrid(std::span<const Tensor> tensors,
                                           std::string_view indexing = "ij");
[[nodiscard]] std::vector<Tensor> meshgrid(std::initializer_list<Tensor> tensors,
                                           std::string_view indexing = "ij");
/// Returns the Cartesian product of vectors as rows; for one vector, the vector itself.
/// PyTorch: torch.cartesian_prod.
Tensor cartesian_prod(std::span<const Tensor> tensors);
Tensor cartesian_prod(std::initializer_list<Tensor> tensors);
/// Returns the combinations of `r` elements of a vector as rows, in lexicographic order of their
/// positions. Throws ValueError if their number exceeds 2^63 - 1. PyTorch: torch.combinations.
Tensor combinations(const Tensor& input, IntArg r = 2, bool with_replacement = false);

// Splitting. The results are views.

/// Splits the input along `dim` into `sections` parts of sizes that differ by at most 1, or at the
/// given indices. Throws ValueError if `sections` is not positive. PyTorch: torch.tensor_split.
[[nodiscard]] std::vector<Tensor> tensor_split(const Tensor& input, std::int64_t sections,
                                               IntArg dim = 0);
[[nodiscard]] std::vector<Tensor> tensor_split(const Tensor& input, const Shape& indices,
                                               IntArg dim = 0);
[[nodiscard]] std::vector<Tensor> tensor_split(const Tensor& input,
                                               const Tensor& indices_or_sections, IntArg dim = 0);
/// Split the input along dimension 1 (0 for a vector), 0, or 2, into equal sections or at the given
/// indices. Throw ShapeError if the input lacks dimensions, ValueError if the size is not divisible
/// by `sections`. PyTorch: torch.hsplit, torch.vsplit, torch.dsplit.
[[nodiscard]] std::vector<Tensor> hsplit(const Tensor& input, std::int64_t sections);
[[nodiscard]] std::vector<Tensor> hsplit(const Tensor& input, const Shape& indices);
[[nodiscard]] std::vector<Tensor> vsplit(const Tensor& input, std::int64_t sections);
[[nodiscard]] std::vector<Tensor> vsplit(const Tensor& input, const Shape& indices);
[[nodiscard]] std::vector<Tensor> dsplit(const Tensor& input, std::int64_t sections);
[[nodiscard]] std::vector<Tensor> dsplit(const Tensor& input, const Shape& indices);
/// Splits as `split`, `split` and `chunk`. PyTorch: torch.split_with_sizes, torch.unsafe_split,
/// torch.unsafe_chunk.
[[nodiscard]] std::vector<Tensor> split_with_sizes(const Tensor& input, const Shape& split_sizes,
                                                   IntArg dim = 0);
[[nodiscard]] std::vector<Tensor> unsafe_split(const Tensor& input, IntArg split_size,
                                               IntArg dim = 0);
[[nodiscard]] std::vector<Tensor> unsafe_chunk(const Tensor& input, IntArg chunks, IntArg dim = 0);

}  // namespace taper
