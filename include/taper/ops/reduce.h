// Reductions over some or all dimensions.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/not_null.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods that reduce. The dimensions in `dims` (negative: from the end; empty: all) are
/// removed from the result, or retained with size 1 if `keepdim` is set. Throw IndexError if a
/// dimension is out of range, ValueError if it occurs twice. Methods without a comment are
/// documented as the free functions below.
struct ReduceMethods {
  /// Returns the sum of all elements. Integers and bools are summed in i64.
  Tensor sum() const;
  Tensor sum(const Dims& dims, bool keepdim = false, std::optional<DType> dtype = {}) const;
  /// Returns the sums over the dimensions in which `shape` would be broadcast to the shape of this
  /// tensor. Throws ShapeError if it is not broadcastable. PyTorch: torch.Tensor.sum_to_size.
  Tensor sum_to_size(const Shape& shape) const;
  Tensor nansum(const Dims& dims = {}, bool keepdim = false, std::optional<DType> dtype = {}) const;
  /// Returns the arithmetic mean. Integer tensors require a floating-point `dtype`.
  Tensor mean() const;
  Tensor mean(const Dims& dims, bool keepdim = false, std::optional<DType> dtype = {}) const;
  Tensor prod() const;
  Tensor prod(IntArg dim, bool keepdim = false, std::optional<DType> dtype = {}) const;
  Tensor cumsum(IntArg dim, std::optional<DType> dtype = {}) const;

  Tensor var(const Dims& dims = {}, const Scalar& correction = 1, bool keepdim = false) const;
  Tensor std(const Dims& dims = {}, const Scalar& correction = 1, bool keepdim = false) const;
  Tensor norm(const Scalar& p = 2, const Dims& dims = {}, bool keepdim = false,
              std::optional<DType> dtype = {}) const;
  Tensor norm(NotNull<std::string_view> p, const Dims& dims = {}, bool keepdim = false,
              std::optional<DType> dtype = {}) const;
  Tensor logsumexp(const Dims& dims, bool keepdim = false) const;

  /// Returns the maximum, or minimum, of all elements. Ties share the gradient equally.
  Tensor max() const;
  Tensor min() const;
  /// Returns the median of all elements, or {values, indices} of the medians along `dim`.
  Tensor median() const;
  [[nodiscard]] std::pair<Tensor, Tensor> median(IntArg dim, bool keepdim = false) const;
  /// Returns the element-wise maximum, or minimum, of two tensors.
  Tensor max(const Tensor& other) const;
  Tensor min(const Tensor& other) const;
  /// Returns {values, indices}: the maxima, or minima, along `dim` and the index of the first
  /// occurrence of each.
  [[nodiscard]] std::pair<Tensor, Tensor> max(IntArg dim, bool keepdim = false) const;
  [[nodiscard]] std::pair<Tensor, Tensor> min(IntArg dim, bool keepdim = false) const;
  Tensor amax(const Dims& dims = {}, bool keepdim = false) const;
  Tensor amin(const Dims& dims = {}, bool keepdim = false) const;
  /// Returns the index of the first maximum, or minimum, along `dim`; without `dim`, in the
  /// flattened tensor.
  Tensor argmax(std::optional<IntArg> dim = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<IntArg> dim = {}, bool keepdim = false) const;

  Tensor all(const Dims& dims = {}, bool keepdim = false) const;
  Tensor any(const Dims& dims = {}, bool keepdim = false) const;
  Tensor count_nonzero(const Dims& dims = {}) const;
};
}  // namespace ops

// Sums and products.

/// Returns the sum of all elements, or over `dims`. Integers and bools are summed in i64 unless
/// `dtype` is given. The sum of an empty input is 0. PyTorch: torch.sum.
Tensor sum(const Tensor& input);
Tensor sum(const Tensor& input, const Dims& dims, bool keepdim = false,
           std::optional<DType> dtype = {});
/// Returns the sum over `dims` with NaN treated as 0. Integers and bools are summed in i64 unless
/// `dtype` is given. PyTorch: torch.nansum.
Tensor nansum(const Tensor& input, const Dims& dims = {}, bool keepdim = false,
              std::optional<DType> dtype = {});
/// Returns the arithmetic mean of all elements, or over `dims`; NaN for an empty input. Throws
/// DTypeError for integers without a floating-point `dtype`. PyTorch: torch.mean.
Tensor mean(const Tensor& input);
Tensor mean(const Tensor& input, const Dims& dims, bool keepdim = false,
            std::optional<DType> dtype = {});
/// Returns the product of all elements, or along `dim`. Integers and bools are multiplied in i64
/// unless `dtype` is given. The product of an empty input is 1. The gradient is exact even if
/// elements are zero. PyTorch: torch.prod.
Tensor prod(const Tensor& input);
Tensor prod(const Tensor& input, IntArg dim, bool keepdim = false, std::optional<DType> dtype = {});
/// Returns the cumulative sum along `dim`, in the shape of the input. Integers and bools are summed
/// in i64 unless `dtype` is given. PyTorch: torch.cumsum.
Tensor cumsum(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});

// Variance and norms.

/// Returns the variance over `dims`: the sum of squared deviations from the mean, divided by
/// N - correction, where N is the number of reduced elements. A correction of 1 is the unbiased
/// estimate, 0 the population variance. If N <= correction, the result is NaN or inf, with a
/// warning. Throws NotImplementedError for integers. PyTorch: torch.var.
Tensor var(const Tensor& input, const Dims& dims = {}, const Scalar& correction = 1,
           bool keepdim = false);
/// Returns the standard deviation over `dims`: the square root of the variance, whose gradient is
/// defined as 0 where it is 0. Throws NotImplementedError for integers. PyTorch: torch.std.
Tensor std(const Tensor& input, const Dims& dims = {}, const Scalar& correction = 1,
           bool keepdim = false);
/// Returns {variance, mean} or {standard deviation, mean} over `dims`. Throws NotImplementedError
/// for integers. PyTorch: torch.var_mean, torch.std_mean.
[[nodiscard]] std::pair<Tensor, Tensor> var_mean(const Tensor& input, const Dims& dims = {},
                                                 const Scalar& correction = 1,
                                                 bool keepdim = false);
[[nodiscard]] std::pair<Tensor, Tensor> std_mean(const Tensor& input, const Dims& dims = {},
                                                 const Scalar& correction = 1,
                                                 bool keepdim = false);
/// Returns the vector norm (sum |x|^p)^(1/p) over `dims`. For p = inf and -inf, it is the maximum
/// and minimum of |x|, for p = 0 the number of nonzero elements. The gradient of the norm of zeros
/// is 0; ties for the maximum or minimum share the gradient equally. If `dtype` is given, the input
/// is converted to it first; it must not be narrower. Throws NotImplementedError for integers,
/// DTypeError for an invalid `dtype`, ValueError if p is inf or -inf and the input is empty.
/// PyTorch: torch.norm.
Tensor norm(const Tensor& input, const Scalar& p = 2, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
/// Returns the norm of order "fro", the 2-norm of all elements, or "nuc", the sum of the singular
/// values of the matrices in the two dimensions `dims`, by default of an input of two dimensions.
/// Throws ValueError for another order, ShapeError for another number of dimensions.
/// PyTorch: torch.norm.
Tensor norm(const Tensor& input, NotNull<std::string_view> p, const Dims& dims = {},
            bool keepdim = false, std::optional<DType> dtype = {});
/// Returns the 2-norm over at most two dimensions; over all of them if `dims` is empty.
/// PyTorch: torch.frobenius_norm.
Tensor frobenius_norm(const Tensor& input, const Dims& dims, bool keepdim = false);
/// Returns the sum of the singular values of the matrices in the two dimensions `dims`, by default
/// the last two. PyTorch: torch.nuclear_norm.
Tensor nuclear_norm(const Tensor& input, bool keepdim = false);
Tensor nuclear_norm(const Tensor& input, const Dims& dims, bool keepdim = false);
namespace linalg {
/// Returns the vector norm over `dims`; see taper::norm. PyTorch: torch.linalg.vector_norm.
Tensor vector_norm(const Tensor& input, const Scalar& ord = 2, const Dims& dims = {},
                   bool keepdim = false, std::optional<DType> dtype = {});
}  // namespace linalg
/// Returns log(sum(exp(x))) over `dims` in a numerically stable way. Integers are converted to
/// default_dtype(). PyTorch: torch.logsumexp.
Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim = false);

// Maxima and minima. NaN is treated as both the maximum and the minimum. Unless documented
// otherwise, reductions throw IndexError if a reduced dimension is empty.

/// Returns the maximum, or minimum, of all elements. Ties share the gradient equally.
/// PyTorch: torch.max, torch.min.
Tensor max(const Tensor& input);
Tensor min(const Tensor& input);
/// Returns the element-wise maximum, or minimum, of two tensors, as maximum and minimum.
/// PyTorch: torch.max, torch.min.
Tensor max(const Tensor& input, const Tensor& other);
Tensor min(const Tensor& input, const Tensor& other);
/// Returns {values, indices}: the maxima, or minima, along `dim` and the index of the first
/// occurrence of each. The gradient is that of the elements at `indices`. PyTorch: torch.max,
/// torch.min.
[[nodiscard]] std::pair<Tensor, Tensor> max(const Tensor& input, IntArg dim, bool keepdim = false);
[[nodiscard]] std::pair<Tensor, Tensor> min(const Tensor& input, IntArg dim, bool keepdim = false);
/// Returns the median of all elements; the lower of the two middle values if their number is even.
/// Ties share the gradient equally. The result is NaN if an element is NaN or the input is empty.
/// Throws ValueError for an empty integer input, NotImplementedError for bool.
/// PyTorch: torch.median.
Tensor median(const Tensor& input);
/// Returns {values, indices}: the medians along `dim` and the index of the first occurrence of
/// each. Throws NotImplementedError for bool. PyTorch: torch.median.
[[nodiscard]] std::pair<Tensor, Tensor> median(const Tensor& input, IntArg dim,
                                               bool keepdim = false);
/// Returns the maxima, or minima, over `dims`. Ties share the gradient equally.
/// PyTorch: torch.amax, torch.amin.
Tensor amax(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
/// Returns the index of the first maximum, or minimum, along `dim`; without `dim`, in the flattened
/// input. PyTorch: torch.argmax, torch.argmin.
Tensor argmax(const Tensor& input, std::optional<IntArg> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& input, std::optional<IntArg> dim = {}, bool keepdim = false);

// Logical reductions and counts.

/// Returns whether all elements, or any element, over `dims` are nonzero, as bool (u8 for u8). For
/// an empty input, `all` is true and `any` is false. PyTorch: torch.all, torch.any.
Tensor all(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor any(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
/// Returns the number of nonzero elements over `dims`, as i64. PyTorch: torch.count_nonzero.
Tensor count_nonzero(const Tensor& input, const Dims& dims = {});

}  // namespace taper
