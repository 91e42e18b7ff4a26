// Sums and their kin over some or all dimensions.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// `dims` (negative: from the back; none: all) are dropped from the result, or kept with size 1.
/// Errors: IndexError for a dimension out of range, ValueError for one that is named twice. Those
/// without a comment are the free functions of their names below.
struct ReduceMethods {
  /// Sum of all elements. Integers and bools add up in i64.
  Tensor sum() const;
  Tensor sum(const Dims& dims, bool keepdim = false, std::optional<DType> dtype = {}) const;
  /// Sums over the dimensions along which `shape` was broadcast to this tensor's shape.
  Tensor sum_to_size(const Shape& shape) const;
  Tensor nansum(const Dims& dims = {}, bool keepdim = false, std::optional<DType> dtype = {}) const;
  /// Arithmetic mean; integers need a floating dtype.
  Tensor mean() const;
  Tensor mean(const Dims& dims, bool keepdim = false, std::optional<DType> dtype = {}) const;
  Tensor prod() const;
  Tensor prod(IntArg dim, bool keepdim = false, std::optional<DType> dtype = {}) const;
  Tensor cumsum(IntArg dim, std::optional<DType> dtype = {}) const;

  Tensor var(const Dims& dims = {}, const Scalar& correction = 1, bool keepdim = false) const;
  Tensor std(const Dims& dims = {}, const Scalar& correction = 1, bool keepdim = false) const;
  Tensor norm(const Scalar& p = 2, const Dims& dims = {}, bool keepdim = false,
              std::optional<DType> dtype = {}) const;
  Tensor logsumexp(const Dims& dims, bool keepdim = false) const;

  /// The largest, the smallest of all elements, which share the gradient if they are several.
  Tensor max() const;
  Tensor min() const;
  /// The middle element of all, or {values, indices} along `dim`.
  Tensor median() const;
  [[nodiscard]] std::pair<Tensor, Tensor> median(IntArg dim, bool keepdim = false) const;
  /// Element by element the greater, the lesser of both: maximum, minimum.
  Tensor max(const Tensor& other) const;
  Tensor min(const Tensor& other) const;
  /// {values, indices}: the extreme elements along `dim` and where the first of each is.
  [[nodiscard]] std::pair<Tensor, Tensor> max(IntArg dim, bool keepdim = false) const;
  [[nodiscard]] std::pair<Tensor, Tensor> min(IntArg dim, bool keepdim = false) const;
  Tensor amax(const Dims& dims = {}, bool keepdim = false) const;
  Tensor amin(const Dims& dims = {}, bool keepdim = false) const;
  /// Where the first extreme element is: along `dim`, or in the flattened tensor.
  Tensor argmax(std::optional<IntArg> dim = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<IntArg> dim = {}, bool keepdim = false) const;

  Tensor all(const Dims& dims = {}, bool keepdim = false) const;
  Tensor any(const Dims& dims = {}, bool keepdim = false) const;
  Tensor count_nonzero(const Dims& dims = {}) const;
};
}  // namespace ops

// Sums and products.

/// The sum of all elements, or over `dims`. Integers and bools add up in i64 unless a dtype is
/// given. The sum of nothing is 0. PyTorch: torch.sum.
Tensor sum(const Tensor& input);
Tensor sum(const Tensor& input, const Dims& dims, bool keepdim = false,
           std::optional<DType> dtype = {});
/// The same with NaN taken as 0. PyTorch: torch.nansum.
Tensor nansum(const Tensor& input, const Dims& dims = {}, bool keepdim = false,
              std::optional<DType> dtype = {});
/// The arithmetic mean; of nothing, NaN. PyTorch: torch.mean. Throws DTypeError for integers
/// without a floating dtype.
Tensor mean(const Tensor& input);
Tensor mean(const Tensor& input, const Dims& dims, bool keepdim = false,
            std::optional<DType> dtype = {});
/// The product of all elements, or along `dim`. Integers and bools multiply in i64 unless a dtype
/// is given. The product of nothing is 1. Gradients are right next to zeros, too. PyTorch:
/// torch.prod.
Tensor prod(const Tensor& input);
Tensor prod(const Tensor& input, IntArg dim, bool keepdim = false, std::optional<DType> dtype = {});
/// The sums of the first 1, 2, ... elements along `dim`, in the shape of the input. Integers and
/// bools add up in i64 unless a dtype is given. PyTorch: torch.cumsum.
Tensor cumsum(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});

// Spread and size.

/// The variance: the sum of squared distances from the mean over N - correction, where N elements
/// go into one result. 1 gives the unbiased estimate, 0 the variance of the elements themselves.
/// With N <= correction the result is NaN or inf, with a warning. PyTorch: torch.var. Throws
/// NotImplementedError for integers.
Tensor var(const Tensor& input, const Dims& dims = {}, const Scalar& correction = 1,
           bool keepdim = false);
/// The standard deviation: the square root of the variance, with gradient 0 where it is 0. PyTorch:
/// torch.std.
Tensor std(const Tensor& input, const Dims& dims = {}, const Scalar& correction = 1,
           bool keepdim = false);
/// {variance or standard deviation, mean}. PyTorch: torch.var_mean, torch.std_mean.
[[nodiscard]] std::pair<Tensor, Tensor> var_mean(const Tensor& input, const Dims& dims = {},
                                                 const Scalar& correction = 1,
                                                 bool keepdim = false);
[[nodiscard]] std::pair<Tensor, Tensor> std_mean(const Tensor& input, const Dims& dims = {},
                                                 const Scalar& correction = 1,
                                                 bool keepdim = false);
/// The vector norm (sum |x|^p)^(1/p) over `dims`, whatever their number: 1, 2 or any other p; inf
/// and -inf give the largest and the smallest |x|, 0 how many differ from 0. The gradient of the
/// norm of zeros is 0; extremes share it. With a dtype, which must not be narrower, the input is
/// converted first. PyTorch: torch.norm. Throws NotImplementedError for integers, DTypeError,
/// ValueError for an extreme of nothing.
Tensor norm(const Tensor& input, const Scalar& p = 2, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
namespace linalg {
/// taper::norm. PyTorch: torch.linalg.vector_norm.
Tensor vector_norm(const Tensor& input, const Scalar& ord = 2, const Dims& dims = {},
                   bool keepdim = false, std::optional<DType> dtype = {});
}  // namespace linalg
/// log(sum(exp(x))) over `dims`, exact also where exp(x) has no number. Integers give
/// default_dtype(). PyTorch: torch.logsumexp.
Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim = false);

// Extremes. NaN counts as the largest and as the smallest. Throw IndexError for an extreme of
// nothing.

/// The largest (smallest) of all elements. Equal ones share the gradient. PyTorch: torch.max,
/// torch.min.
Tensor max(const Tensor& input);
Tensor min(const Tensor& input);
/// Element by element the greater (lesser) of both: maximum, minimum.
Tensor max(const Tensor& input, const Tensor& other);
Tensor min(const Tensor& input, const Tensor& other);
/// {values, indices}: the largest (smallest) elements along `dim` and the index of the first of
/// each. Gradients go to the elements named by `indices`. PyTorch: torch.max, torch.min.
[[nodiscard]] std::pair<Tensor, Tensor> max(const Tensor& input, IntArg dim, bool keepdim = false);
[[nodiscard]] std::pair<Tensor, Tensor> min(const Tensor& input, IntArg dim, bool keepdim = false);
/// The middle one of all elements, of an even number the lower one; equal ones share the gradient.
/// NaN if one is NaN or there are none. PyTorch: torch.median. Throws ValueError for no integers.
Tensor median(const Tensor& input);
/// {values, indices} of the medians along `dim`; each index is the first of its value. PyTorch:
/// torch.median.
[[nodiscard]] std::pair<Tensor, Tensor> median(const Tensor& input, IntArg dim,
                                               bool keepdim = false);
/// The largest (smallest) elements over `dims`. Equal ones share the gradient. PyTorch: torch.amax,
/// torch.amin.
Tensor amax(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
/// The index of the first largest (smallest) element: along `dim`, or in the flattened tensor.
/// PyTorch: torch.argmax, torch.argmin.
Tensor argmax(const Tensor& input, std::optional<IntArg> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& input, std::optional<IntArg> dim = {}, bool keepdim = false);

// Tests.

/// Whether all elements, or any, differ from 0, as bool (as u8 for u8). Of nothing: true, false.
/// PyTorch: torch.all, torch.any.
Tensor all(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor any(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
/// How many elements differ from 0, as i64. PyTorch: torch.count_nonzero.
Tensor count_nonzero(const Tensor& input, const Dims& dims = {});

}  // namespace taper
