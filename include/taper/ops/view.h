// Views: other shapes over the same elements.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Every method gives a view: it shares elements and versions with the tensor, and writes through
/// it are seen by autograd. Dimensions may be negative (from the back). Errors: IndexError for a
/// dimension out of range, ShapeError for sizes that do not fit.
struct ViewMethods {
  /// Same elements in row-major order, another shape; one size may be -1. Throws if no strides can
  /// express it (then use reshape). PyTorch: Tensor.view.
  Tensor view(const Shape& shape) const;
  /// view where possible, else a copy.
  Tensor reshape(const Shape& shape) const;
  /// Dimensions start_dim..end_dim become one. A 0-dim tensor becomes 1-dim.
  Tensor flatten(IntArg start_dim = 0, IntArg end_dim = -1) const;
  Tensor unflatten(IntArg dim, const Shape& sizes) const;
  Tensor permute(const Dims& dims) const;
  Tensor transpose(IntArg dim0, IntArg dim1) const;
  Tensor t() const;   ///< transpose of a matrix; vectors and scalars as they are
  Tensor mT() const;  ///< transpose of the last two dimensions
  Tensor unsqueeze(IntArg dim) const;
  Tensor squeeze() const;
  Tensor squeeze(const Dims& dims) const;
  /// Repeats dimensions of size 1 without copying; -1 keeps a size; new dimensions come in front.
  Tensor expand(const Shape& shape) const;
  Tensor expand_as(const Tensor& other) const;
  Tensor select(IntArg dim, IntArg index) const;
  /// Python's start:end:step along `dim`; out-of-range bounds are clamped, step must be positive.
  Tensor slice(IntArg dim, std::optional<IntArg> start, std::optional<IntArg> end,
               IntArg step = 1) const;
  Tensor narrow(IntArg dim, IntArg start, IntArg length) const;
  Tensor as_strided(const Shape& size, const Shape& stride,
                    std::optional<IntArg> storage_offset = {}) const;
  /// Pieces of `split_size` along `dim`, the last one smaller if need be.
  [[nodiscard]] std::vector<Tensor> split(std::int64_t split_size, IntArg dim = 0) const;
  template <std::same_as<bool> B>
  [[nodiscard]] std::vector<Tensor> split(B, IntArg dim = 0) const = delete;  // bool is not a size
  [[nodiscard]] std::vector<Tensor> split(const Shape& sizes, IntArg dim = 0) const;
  /// At most `chunks` pieces of equal size.
  [[nodiscard]] std::vector<Tensor> chunk(IntArg chunks, IntArg dim = 0) const;
  [[nodiscard]] std::vector<Tensor> unbind(IntArg dim = 0) const;
};
}  // namespace ops

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
                                        IntArg dim = 0) = delete;  // bool is not a size
[[nodiscard]] std::vector<Tensor> chunk(const Tensor& input, IntArg chunks, IntArg dim = 0);

}  // namespace taper
