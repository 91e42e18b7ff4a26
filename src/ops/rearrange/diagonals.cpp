// Diagonals, triangles, and copies in which a part is replaced.
#include <algorithm>
#include <limits>

#include "ops/forms.h"
#include "ops/linalg/triangle.h"
#include "taper/core/factory.h"

namespace taper {

Tensor diag(const Tensor& x, IntArg diagonal) {
  if (x.dim() == 1) return diag_embed(x, diagonal);
  if (x.dim() == 2) return x.diagonal(diagonal).clone();
  fail<ShapeError>("diag: Supports 1D or 2D tensors. Got {}D", x.dim());
}

Tensor diag_embed(const Tensor& x, IntArg offset, IntArg dim1, IntArg dim2) {
  const std::size_t rank = x.shape().size() + 1;
  const std::int64_t a = wrap_dim(dim1, rank, "diag_embed"), b = wrap_dim(dim2, rank, "diag_embed");
  if (x.dim() == 0)
    fail<ShapeError>("diag_embed: expected a tensor of at least 1 dimension, got shape {}",
                     x.shape());
  if (a == b)
    fail<ValueError>("diag_embed: diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  const std::int64_t moved = offset;
  std::int64_t size = 0;
  if (moved < 0 ? __builtin_sub_overflow(x.shape().back(), moved, &size)
                : __builtin_add_overflow(x.shape().back(), moved, &size))
    fail<ShapeError>("diag_embed: a size of the result exceeds 2^63 - 1: got offset {} for {}",
                     offset, x.shape());
  Shape shape = x.shape();
  shape.erase(shape.size() - 1);
  shape.insert(static_cast<std::size_t>(std::min(a, b)), size);
  shape.insert(static_cast<std::size_t>(std::max(a, b)), size);
  const Tensor result = zeros(shape, {.dtype = x.dtype(), .device = x.device()});
  result.diagonal(offset, a, b).copy_(x);
  return result;
}

Tensor diagflat(const Tensor& x, IntArg offset) { return diag_embed(x.reshape(-1), offset); }

namespace {

/// Overwrites `part`, a view of a copy, with `src`, which must have the same shape.
void replace_part(const Tensor& part, const Tensor& src, std::string_view op) {
  if (!(part.shape() == src.shape()))
    fail<ShapeError>(
        "{}: expected src to have a size equal to the replaced part: got {}, expected {}", op,
        src.shape(), part.shape());
  part.copy_(src);
}

}  // namespace

Tensor diagonal_scatter(const Tensor& x, const Tensor& src, IntArg offset, IntArg dim1,
                        IntArg dim2) {
  const Tensor result = x.clone();
  replace_part(result.diagonal(offset, dim1, dim2), src, "diagonal_scatter");
  return result;
}
Tensor select_scatter(const Tensor& x, const Tensor& src, IntArg dim, IntArg index) {
  const Tensor result = x.clone();
  replace_part(result.select(dim, index), src, "select_scatter");
  return result;
}
Tensor slice_scatter(const Tensor& x, const Tensor& src, IntArg dim, std::optional<IntArg> start,
                     std::optional<IntArg> end, IntArg step) {
  const Tensor result = x.clone();
  replace_part(result.slice(dim, start, end, step), src, "slice_scatter");
  return result;
}
Tensor as_strided_scatter(const Tensor& x, const Tensor& src, const Shape& size,
                          const Shape& stride, std::optional<IntArg> storage_offset) {
  const Tensor result = x.detach().clone();
  // The gradient of the input is that of the replaced elements, as in PyTorch. Their difference
  // from themselves is 0 and has this gradient.
  const Tensor replaced = x.as_strided(size, stride, storage_offset);
  const bool differentiable = replaced.requires_grad();
  const Tensor zero =
      differentiable ? where(replaced.isfinite(), replaced - replaced.detach(), 0) : Tensor();
  replace_part(result.as_strided(size, stride, storage_offset), differentiable ? src + zero : src,
               "as_strided_scatter");
  return result;
}

namespace {

__extension__ typedef __int128 Int128;  // -Wpedantic rejects the name of the type elsewhere

/// Number of elements of a matrix on and below the diagonal `offset`. The numbers of elements of
/// its rows are offset + 1, offset + 2, ..., bounded by 0 and `cols`. 128 bits hold all
/// intermediate results.
Int128 count_lower(std::int64_t rows, std::int64_t cols, std::int64_t offset) {
  const Int128 wide = cols, first = std::max<Int128>(Int128{offset} + 1, 1),
               last = Int128{offset} + rows;
  const Int128 partial = std::max<Int128>(0, std::min(last, wide) - first + 1);
  const Int128 full = std::max<Int128>(0, last - std::max(first, wide + 1) + 1);
  return partial * first + partial * (partial - 1) / 2 + full * wide;
}

/// Returns the indices of the elements of a triangle in row-major order, as two rows.
Tensor triangle_indices(std::int64_t rows, std::int64_t cols, std::int64_t offset, bool upper,
                        const TensorOptions& options, std::string_view op) {
  if (rows < 0) fail<ValueError>("{}: row must be non-negative, got {}", op, rows);
  if (cols < 0) fail<ValueError>("{}: col must be non-negative, got {}", op, cols);
  const DType dtype = options.dtype.value_or(DType::i64);
  if (dtype != DType::i64 && dtype != DType::i32 && dtype != DType::i16)
    fail<NotImplementedError>("{}: not implemented for '{}'", op, dtype);
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  const Int128 lower = count_lower(rows, cols, upper && offset > kMin ? offset - 1 : offset);
  const Int128 count = upper ? Int128{rows} * cols - lower : lower;
  if (count > std::numeric_limits<std::int64_t>::max() / 2)
    fail<ValueError>("{}: too many indices: got row={}, col={}, offset={}", op, rows, cols, offset);
  const auto size = static_cast<std::int64_t>(count);
  const Tensor indices = empty({2, size}, {.dtype = DType::i64});
  auto* const to = indices.mutable_data_ptr<std::int64_t>();
  const auto bounded = [&](Int128 col) {
    return static_cast<std::int64_t>(std::clamp<Int128>(col, 0, cols));
  };
  // The other rows of the triangle have elements until all are written.
  Int128 row = upper ? 0 : std::max<Int128>(0, -Int128{offset});
  for (std::int64_t i = 0; i < size; ++row) {
    const std::int64_t end = upper ? cols : bounded(row + offset + 1);
    for (std::int64_t col = upper ? bounded(row + offset) : 0; col < end; ++col, ++i) {
      to[i] = static_cast<std::int64_t>(row);
      to[size + i] = col;
    }
  }
  const Tensor result = indices.to(dtype);
  return options.device ? result.to(*options.device) : result;
}

}  // namespace

Tensor tril_indices(IntArg row, IntArg col, IntArg offset, const TensorOptions& options) {
  return triangle_indices(row, col, offset, false, options, "tril_indices");
}
Tensor triu_indices(IntArg row, IntArg col, IntArg offset, const TensorOptions& options) {
  return triangle_indices(row, col, offset, true, options, "triu_indices");
}

Tensor vander(const Tensor& x, std::optional<IntArg> N, bool increasing) {
  if (x.dim() != 1)
    fail<ShapeError>("vander: x must be a one-dimensional tensor: got {}", x.shape());
  const std::int64_t n = N ? static_cast<std::int64_t>(*N) : x.size(0);
  if (n < 0) fail<ValueError>("vander: N must be non-negative: got {}", n);
  const DType dtype = is_floating_point(x.dtype()) ? x.dtype() : DType::i64;
  const TensorOptions like{.dtype = dtype, .device = x.device()};
  const std::int64_t size = x.size(0);
  if (n == 0 || size == 0) return empty({size, n}, like);
  Tensor powers = ones({size, 1}, like);
  if (n > 1) powers = cat({powers, x.to(dtype).unsqueeze(1).expand({size, n - 1}).cumprod(1)}, 1);
  return increasing ? powers : powers.flip({1});
}

namespace ops {
Tensor RearrangeMethods::diag(IntArg diagonal) const {
  return taper::diag(self_of(this), diagonal);
}
Tensor RearrangeMethods::diag_embed(IntArg offset, IntArg dim1, IntArg dim2) const {
  return taper::diag_embed(self_of(this), offset, dim1, dim2);
}
Tensor RearrangeMethods::diagflat(IntArg offset) const {
  return taper::diagflat(self_of(this), offset);
}
Tensor RearrangeMethods::diagonal_scatter(const Tensor& src, IntArg offset, IntArg dim1,
                                          IntArg dim2) const {
  return taper::diagonal_scatter(self_of(this), src, offset, dim1, dim2);
}
Tensor RearrangeMethods::select_scatter(const Tensor& src, IntArg dim, IntArg index) const {
  return taper::select_scatter(self_of(this), src, dim, index);
}
Tensor RearrangeMethods::slice_scatter(const Tensor& src, IntArg dim, std::optional<IntArg> start,
                                       std::optional<IntArg> end, IntArg step) const {
  return taper::slice_scatter(self_of(this), src, dim, start, end, step);
}
Tensor RearrangeMethods::as_strided_scatter(const Tensor& src, const Shape& size,
                                            const Shape& stride,
                                            std::optional<IntArg> storage_offset) const {
  return taper::as_strided_scatter(self_of(this), src, size, stride, storage_offset);
}
const Tensor& RearrangeMethods::fill_diagonal_(const Scalar& value, bool wrap) const {
  const Tensor& x = self_of(this);
  if (x.dim() < 2)
    fail<ShapeError>("fill_diagonal_: dimensions must be larger than 1: got shape {}", x.shape());
  for (const std::int64_t size : x.shape())
    if (x.dim() > 2 && size != x.size(0))
      fail<ShapeError>("fill_diagonal_: all dimensions of input must be of equal length: got {}",
                       x.shape());
  std::int64_t step = 0, length = x.size(0);
  for (const std::int64_t stride : x.strides()) step += stride;
  for (const std::int64_t size : x.shape()) length = std::min(length, size);
  static_cast<void>(x.as_strided(length, step).fill_(value));
  if (!wrap || x.dim() != 2 || x.size(0) <= x.size(1) + 1) return x;
  // One row of other elements follows each diagonal of a tall matrix.
  for (std::int64_t top = x.size(1) + 1; top < x.size(0); top += x.size(1) + 1)
    static_cast<void>(x.slice(0, top, {}).fill_diagonal_(value));
  return x;
}
const Tensor& RearrangeMethods::triu_(IntArg diagonal) const {
  return run_inplace(Triu{diagonal}, self_of(this));
}
const Tensor& RearrangeMethods::tril_(IntArg diagonal) const {
  return run_inplace(Tril{diagonal}, self_of(this));
}
}  // namespace ops

}  // namespace taper
