// Sums and their kin over some or all dimensions.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>

#include "taper/core/dtype.h"
#include "taper/core/shape.h"

namespace taper {
class Tensor;

namespace ops {
/// `dims` (negative: from the back; none: all) are dropped from the result, or kept with size 1.
/// Errors: IndexError for a dimension out of range, ValueError for one that is named twice.
struct ReduceMethods {
  /// Sum of all elements. Integers and bools add up in i64.
  Tensor sum() const;
  Tensor sum(const Dims& dims, bool keepdim = false, std::optional<DType> dtype = {}) const;
  /// Sums over the dimensions along which `shape` was broadcast to this tensor's shape.
  Tensor sum_to_size(const Shape& shape) const;
  /// Arithmetic mean; integers need a floating dtype.
  Tensor mean() const;
  Tensor mean(const Dims& dims, bool keepdim = false, std::optional<DType> dtype = {}) const;

  /// {values, indices}: the extreme elements along `dim` and where the first of each is.
  std::pair<Tensor, Tensor> max(std::int64_t dim, bool keepdim = false) const;
  std::pair<Tensor, Tensor> min(std::int64_t dim, bool keepdim = false) const;
  /// Where the first extreme element is: along `dim`, or in the flattened tensor.
  Tensor argmax(std::optional<std::int64_t> dim = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<std::int64_t> dim = {}, bool keepdim = false) const;
};
}  // namespace ops

/// The sum of all elements, or over `dims`. Integers and bools add up in i64 unless a dtype is
/// given. The sum of nothing is 0. PyTorch: torch.sum.
Tensor sum(const Tensor& input);
Tensor sum(const Tensor& input, const Dims& dims, bool keepdim = false,
           std::optional<DType> dtype = {});
/// The arithmetic mean; of nothing, NaN. PyTorch: torch.mean. Throws DTypeError for integers
/// without a floating dtype.
Tensor mean(const Tensor& input);
Tensor mean(const Tensor& input, const Dims& dims, bool keepdim = false,
            std::optional<DType> dtype = {});

/// {values, indices}: the largest (smallest) elements along `dim` and the index of the first of
/// each. NaN counts as the largest and as the smallest. Gradients go to the elements named by
/// `indices`. PyTorch: torch.max, torch.min. Throws IndexError if `dim` has size 0.
std::pair<Tensor, Tensor> max(const Tensor& input, std::int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> min(const Tensor& input, std::int64_t dim, bool keepdim = false);
/// The index of the first largest (smallest) element: along `dim`, or in the flattened tensor.
/// PyTorch: torch.argmax, torch.argmin. Throws IndexError if there is none.
Tensor argmax(const Tensor& input, std::optional<std::int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& input, std::optional<std::int64_t> dim = {}, bool keepdim = false);

}  // namespace taper
