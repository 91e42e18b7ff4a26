// Views: tensors that share the elements of another tensor.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/memory_format.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods that return views. A view shares elements and version counter with the tensor;
/// autograd tracks writes through it. Dimensions may be negative (from the end). Throw IndexError
/// if a dimension is out of range, ShapeError if sizes do not match.
struct ViewMethods {
  /// Returns a view with another shape and the same elements in row-major order; one size may be -1
  /// and is inferred. Throws ShapeError if strides cannot represent it; use reshape then.
  /// PyTorch: torch.Tensor.view.
  Tensor view(const Shape& shape) const;
  /// Returns a view of the same bytes as elements of another type. If the sizes of the types
  /// differ, the last dimension is shorter or longer by their ratio. Not differentiable unless the
  /// dtype is the same. Throws ShapeError if the last dimension, the strides or the offset do not
  /// permit it. PyTorch: torch.Tensor.view.
  Tensor view(std::same_as<DType> auto dtype) const;  // not DType, which {} could initialize
  /// Returns a view with another shape if possible, otherwise a copy.
  /// PyTorch: torch.Tensor.reshape.
  Tensor reshape(const Shape& shape) const;
  /// Flattens dimensions start_dim to end_dim, inclusive, into one; returns a copy if a view is not
  /// possible. A 0-dimensional tensor becomes 1-dimensional. Throws ValueError if start_dim comes
  /// after end_dim. PyTorch: torch.Tensor.flatten.
  Tensor flatten(IntArg start_dim = 0, IntArg end_dim = -1) const;
  /// Expands dimension `dim` into dimensions of the given sizes, one of which may be -1 and is
  /// inferred. PyTorch: torch.Tensor.unflatten.
  Tensor unflatten(IntArg dim, const Shape& sizes) const;
  /// Permutes the dimensions: dimension i of the result is dimension dims[i].
  /// PyTorch: torch.Tensor.permute.
  Tensor permute(const Dims& dims) const;
  /// Exchanges two dimensions. PyTorch: torch.Tensor.transpose.
  Tensor transpose(IntArg dim0, IntArg dim1) const;
  /// Returns the transpose of a matrix; the tensor itself if it has fewer than two dimensions.
  /// Throws ShapeError for more than two dimensions. PyTorch: torch.Tensor.t.
  Tensor t() const;
  /// Exchanges the last two dimensions. Throws ShapeError for fewer than two dimensions.
  /// PyTorch: torch.Tensor.mT.
  Tensor mT() const;
  /// Inserts a dimension of size 1 at `dim`. PyTorch: torch.Tensor.unsqueeze.
  Tensor unsqueeze(IntArg dim) const;
  /// Removes all dimensions of size 1. PyTorch: torch.Tensor.squeeze.
  Tensor squeeze() const;
  /// Removes those of the given dimensions that have size 1. PyTorch: torch.Tensor.squeeze.
  Tensor squeeze(const Dims& dims) const;
  /// Broadcasts dimensions of size 1 to the given sizes without copying; -1 leaves a size
  /// unchanged, and new dimensions are prepended. Throws ShapeError if the result has more than
  /// 2^63 - 1 elements. PyTorch: torch.Tensor.expand.
  Tensor expand(const Shape& shape) const;
  /// Broadcasts to the shape of `other`. PyTorch: torch.Tensor.expand_as.
  Tensor expand_as(const Tensor& other) const;
  /// Returns the slice at `index` along `dim`, which is removed. PyTorch: torch.Tensor.select.
  Tensor select(IntArg dim, IntArg index) const;
  /// Returns the elements start, start + step, ... before `end` along `dim`; default: all elements.
  /// Bounds may be negative (from the end) and are clamped; step must be positive.
  /// PyTorch: `x[start:end:step]`.
  Tensor slice(IntArg dim, std::optional<IntArg> start, std::optional<IntArg> end,
               IntArg step = 1) const;
  /// Returns `length` elements from `start` along `dim`. Throws IndexError if the range exceeds the
  /// dimension, ValueError if `length` is negative. PyTorch: torch.Tensor.narrow.
  Tensor narrow(IntArg dim, IntArg start, IntArg length) const;
  /// As `narrow(dim, start, length)`, where `start` is the element of a 0-dimensional integer
  /// tensor. Throws ValueError if `start` is another tensor. PyTorch: torch.Tensor.narrow.
  Tensor narrow(IntArg dim, const Tensor& start, IntArg length) const;
  /// Returns a view with the given sizes and strides, which start at storage_offset; default: the
  /// offset of the tensor. PyTorch: torch.Tensor.as_strided.
  Tensor as_strided(const Shape& size, const Shape& stride,
                    std::optional<IntArg> storage_offset = {}) const;
  /// Splits the tensor along `dim` into chunks of `split_size`, the last of which may be smaller.
  /// Throws ValueError if split_size is negative, or 0 for a dimension that is not empty.
  /// PyTorch: torch.Tensor.split.
  [[nodiscard]] std::vector<Tensor> split(std::int64_t split_size, IntArg dim = 0) const;
  template <std::same_as<bool> B>
  // a bool is not a size
  [[nodiscard]] std::vector<Tensor> split(B, IntArg dim = 0) const = delete;
  /// Splits the tensor along `dim` into chunks of the given sizes. Throws ShapeError unless they
  /// sum to the size of the dimension, ValueError if one is negative. PyTorch: torch.Tensor.split.
  [[nodiscard]] std::vector<Tensor> split(const Shape& sizes, IntArg dim = 0) const;
  /// Splits the tensor along `dim` into at most `chunks` chunks of equal size, the last of which
  /// may be smaller; an empty dimension into exactly `chunks`. Throws ValueError if chunks < 1.
  /// PyTorch: torch.Tensor.chunk.
  [[nodiscard]] std::vector<Tensor> chunk(IntArg chunks, IntArg dim = 0) const;
  /// Returns the slices along `dim`, which is removed. PyTorch: torch.Tensor.unbind.
  [[nodiscard]] std::vector<Tensor> unbind(IntArg dim = 0) const;

  /// Change the shape and strides of this tensor in place to those of the view that the function of
  /// the same name returns. Throw RuntimeError for a leaf that requires gradients.
  /// PyTorch: torch.Tensor.squeeze_, torch.Tensor.unsqueeze_, torch.Tensor.transpose_,
  /// torch.Tensor.swapaxes_, torch.Tensor.swapdims_, torch.Tensor.t_, torch.Tensor.as_strided_.
  const Tensor& squeeze_() const;
  const Tensor& squeeze_(const Dims& dims) const;
  const Tensor& unsqueeze_(IntArg dim) const;
  const Tensor& transpose_(IntArg dim0, IntArg dim1) const;
  const Tensor& swapaxes_(IntArg axis0, IntArg axis1) const;
  const Tensor& swapdims_(IntArg dim0, IntArg dim1) const;
  const Tensor& t_() const;
  const Tensor& as_strided_(const Shape& size, const Shape& stride,
                            std::optional<IntArg> storage_offset = {}) const;

  /// Changes the shape of this tensor in place. Elements in memory are preserved; the storage,
  /// which views share, grows if necessary, and the new elements are uninitialized. Throws
  /// RuntimeError if the tensor requires gradients, or if its memory does not belong to a Tensor.
  /// PyTorch: torch.Tensor.resize_, torch.Tensor.resize_as_.
  const Tensor& resize_(const Shape& size, std::optional<MemoryFormat> memory_format = {}) const;
  const Tensor& resize_as_(const Tensor& other) const;
  /// As `contiguous().view(size)`, with a warning: deprecated in PyTorch. Throws ShapeError unless
  /// the number of elements stays the same. PyTorch: torch.Tensor.resize, torch.Tensor.resize_as.
  Tensor resize(const Shape& size) const;
  Tensor resize_as(const Tensor& other) const;
};
}  // namespace ops

/// Function forms of the methods of the same names. PyTorch: torch.reshape, torch.flatten,
/// torch.permute, torch.transpose, torch.unsqueeze, torch.squeeze, torch.split, torch.chunk.
Tensor reshape(const Tensor& input, const Shape& shape);
Tensor flatten(const Tensor& input, IntArg start_dim = 0, IntArg end_dim = -1);
Tensor permute(const Tensor& input, const Dims& dims);
Tensor transpose(const Tensor& input, IntArg dim0, IntArg dim1);
Tensor unsqueeze(const Tensor& input, IntArg dim);
Tensor squeeze(const Tensor& input);
Tensor squeeze(const Tensor& input, const Dims& dims);
[[nodiscard]] std::vector<Tensor> split(const Tensor& input, std::int64_t split_size,
                                        IntArg dim = 0);
template <std::same_as<bool> B>
[[nodiscard]] std::vector<Tensor> split(const Tensor& input, B,
                                        IntArg dim = 0) = delete;  // a bool is not a size
[[nodiscard]] std::vector<Tensor> chunk(const Tensor& input, IntArg chunks, IntArg dim = 0);

}  // namespace taper
