// Scans, quantiles and further reductions.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/optional_tensor.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods that scan a dimension, and reductions to quantiles and statistics. Dimensions may
/// be negative (from the end); IndexError is thrown if one is out of range. Methods without a
/// comment are documented as the free functions below.
struct ScanMethods {
  Tensor cumprod(IntArg dim, std::optional<DType> dtype = {}) const;
  /// Replaces the elements by their cumulative sums, or products, along `dim`.
  /// PyTorch: torch.Tensor.cumsum_, torch.Tensor.cumprod_.
  const Tensor& cumsum_(IntArg dim, std::optional<DType> dtype = {}) const;
  const Tensor& cumprod_(IntArg dim, std::optional<DType> dtype = {}) const;
  [[nodiscard]] std::pair<Tensor, Tensor> cummax(IntArg dim) const;
  [[nodiscard]] std::pair<Tensor, Tensor> cummin(IntArg dim) const;
  Tensor logcumsumexp(IntArg dim) const;
  Tensor diff(IntArg n = 1, IntArg dim = -1, OptionalTensorRef prepend = {},
              OptionalTensorRef append = {}) const;

  [[nodiscard]] std::pair<Tensor, Tensor> aminmax(std::optional<IntArg> dim = {},
                                                  bool keepdim = false) const;
  Tensor quantile(double q, std::optional<IntArg> dim = {}, bool keepdim = false,
                  std::string_view interpolation = "linear") const;
  Tensor quantile(const Tensor& q, std::optional<IntArg> dim = {}, bool keepdim = false,
                  std::string_view interpolation = "linear") const;
  Tensor nanquantile(double q, std::optional<IntArg> dim = {}, bool keepdim = false,
                     std::string_view interpolation = "linear") const;
  Tensor nanquantile(const Tensor& q, std::optional<IntArg> dim = {}, bool keepdim = false,
                     std::string_view interpolation = "linear") const;
  Tensor nanmean(const Dims& dims = {}, bool keepdim = false,
                 std::optional<DType> dtype = {}) const;
  Tensor nanmedian() const;
  [[nodiscard]] std::pair<Tensor, Tensor> nanmedian(IntArg dim, bool keepdim = false) const;
  Tensor dist(const Tensor& other, const Scalar& p = 2) const;
  Tensor renorm(const Scalar& p, IntArg dim, const Scalar& maxnorm) const;
  const Tensor& renorm_(const Scalar& p, IntArg dim, const Scalar& maxnorm) const;
  Tensor cov(IntArg correction = 1, OptionalTensorRef fweights = {},
             OptionalTensorRef aweights = {}) const;
  Tensor corrcoef() const;
  /// Returns true if both tensors have the same shape and equal elements; see taper::equal.
  /// PyTorch: torch.Tensor.equal.
  [[nodiscard]] bool equal(const Tensor& other) const;
  /// Returns true if all elements are close; see taper::allclose. PyTorch: torch.Tensor.allclose.
  [[nodiscard]] bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                              bool equal_nan = false) const;

  Tensor inner(const Tensor& other) const;
  Tensor vdot(const Tensor& other) const;
  Tensor ger(const Tensor& vec2) const;
  Tensor kron(const Tensor& other) const;
  Tensor cross(const Tensor& other, std::optional<IntArg> dim = {}) const;
  Tensor addr(const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
              const Scalar& alpha = 1) const;
  const Tensor& addr_(const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
                      const Scalar& alpha = 1) const;
  Tensor addbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta = 1,
                const Scalar& alpha = 1) const;
  const Tensor& addbmm_(const Tensor& batch1, const Tensor& batch2, const Scalar& beta = 1,
                        const Scalar& alpha = 1) const;
};
}  // namespace ops

// Scans.

/// Returns the cumulative product along `dim`, in the shape of the input. Integers and bools are
/// multiplied in i64 unless `dtype` is given. The gradient is exact even if elements are zero.
/// PyTorch: torch.cumprod.
Tensor cumprod(const Tensor& input, IntArg dim, std::optional<DType> dtype = {});
/// Returns {values, indices}: the maxima, or minima, of the elements up to each position along
/// `dim`, and the position of the last occurrence. NaN is treated as the extremum.
/// PyTorch: torch.cummax, torch.cummin.
[[nodiscard]] std::pair<Tensor, Tensor> cummax(const Tensor& input, IntArg dim);
[[nodiscard]] std::pair<Tensor, Tensor> cummin(const Tensor& input, IntArg dim);
/// Returns the logarithm of the cumulative sum of the exponentials along `dim`, computed in a
/// numerically stable way. PyTorch: torch.logcumsumexp.
Tensor logcumsumexp(const Tensor& input, IntArg dim);
/// Returns the n-th differences of adjacent elements along `dim`, after the concatenation with
/// `prepend` and `append`. Bools are combined by logical_xor. Throws ValueError if `n` is negative,
/// ShapeError if the input is 0-dimensional or `prepend` or `append` has another number of
/// dimensions. PyTorch: torch.diff.
Tensor diff(const Tensor& input, IntArg n = 1, IntArg dim = -1, OptionalTensorRef prepend = {},
            OptionalTensorRef append = {});
/// Returns the integral of `y` along `dim` by the trapezoidal rule, with points at `x`, which is a
/// vector or broadcastable to y, or with the spacing `dx`. PyTorch: torch.trapezoid, torch.trapz.
Tensor trapezoid(const Tensor& y, const Tensor& x, IntArg dim = -1);
Tensor trapezoid(const Tensor& y, const Scalar& dx = 1, IntArg dim = -1);
Tensor trapz(const Tensor& y, const Tensor& x, IntArg dim = -1);
Tensor trapz(const Tensor& y, const Scalar& dx = 1, IntArg dim = -1);
/// Returns the cumulative integral along `dim` by the trapezoidal rule; the dimension is smaller by
/// one. PyTorch: torch.cumulative_trapezoid.
Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, IntArg dim = -1);
Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx = 1, IntArg dim = -1);

// Quantiles and statistics.

/// Returns {minima, maxima} along `dim`, or of all elements. Throws IndexError for an empty
/// dimension. PyTorch: torch.aminmax.
[[nodiscard]] std::pair<Tensor, Tensor> aminmax(const Tensor& input, std::optional<IntArg> dim = {},
                                                bool keepdim = false);
/// Returns the q-quantiles along `dim`, or of all elements. A vector q is the first dimension of
/// the result. `interpolation` is "linear", "lower", "higher", "midpoint" or "nearest". A slice
/// that contains NaN has the quantile NaN; `nanquantile` ignores NaN. Throws ValueError if q is not
/// in [0, 1] or for another `interpolation`, DTypeError unless the input is float32 or float64 and
/// q has its dtype. PyTorch: torch.quantile, torch.nanquantile.
Tensor quantile(const Tensor& input, double q, std::optional<IntArg> dim = {}, bool keepdim = false,
                std::string_view interpolation = "linear");
Tensor quantile(const Tensor& input, const Tensor& q, std::optional<IntArg> dim = {},
                bool keepdim = false, std::string_view interpolation = "linear");
Tensor nanquantile(const Tensor& input, double q, std::optional<IntArg> dim = {},
                   bool keepdim = false, std::string_view interpolation = "linear");
Tensor nanquantile(const Tensor& input, const Tensor& q, std::optional<IntArg> dim = {},
                   bool keepdim = false, std::string_view interpolation = "linear");
/// Returns the mean over `dims` of the elements that are not NaN. PyTorch: torch.nanmean.
Tensor nanmean(const Tensor& input, const Dims& dims = {}, bool keepdim = false,
               std::optional<DType> dtype = {});
/// Returns the median of the elements that are not NaN; see median. PyTorch: torch.nanmedian.
Tensor nanmedian(const Tensor& input);
[[nodiscard]] std::pair<Tensor, Tensor> nanmedian(const Tensor& input, IntArg dim,
                                                  bool keepdim = false);
/// Returns the p-norm of the difference of two tensors, with broadcasting. PyTorch: torch.dist.
Tensor dist(const Tensor& input, const Tensor& other, const Scalar& p = 2);
/// Returns the input with each slice along `dim` whose p-norm exceeds `maxnorm` scaled to it.
/// Throws ShapeError for fewer than 2 dimensions, ValueError unless p > 0 and maxnorm >= 0.
/// PyTorch: torch.renorm.
Tensor renorm(const Tensor& input, const Scalar& p, IntArg dim, const Scalar& maxnorm);
/// Returns the covariance matrix of the variables in the rows of a matrix `(variables,
/// observations)`, normalized by N - correction; `fweights` are the frequencies and `aweights` the
/// weights of the observations. A vector is one variable. PyTorch: torch.cov.
Tensor cov(const Tensor& input, IntArg correction = 1, OptionalTensorRef fweights = {},
           OptionalTensorRef aweights = {});
/// Returns the matrix of Pearson's correlation coefficients of the variables in the rows.
/// PyTorch: torch.corrcoef.
Tensor corrcoef(const Tensor& input);

// Products.

/// Returns the sums of products that `equation` specifies, such as "bij,bjk->bik". Letters label
/// dimensions, "..." denotes any number of dimensions, and labels that are absent from the
/// output are summed. Without "->", the output has the labels that occur once, in alphabetical
/// order. Operands are contracted in an order of low cost. Throws ValueError for an invalid
/// equation, ShapeError if sizes do not match. PyTorch: torch.einsum.
Tensor einsum(std::string_view equation, std::span<const Tensor> operands);
Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands);
/// Returns the sums of products over the last `dims` dimensions of `a` and the first of `b`, or
/// over pairs of dimensions. Throws ShapeError if sizes do not match. PyTorch: torch.tensordot.
Tensor tensordot(const Tensor& a, const Tensor& b, IntArg dims = 2);
Tensor tensordot(const Tensor& a, const Tensor& b, const Dims& dims_a, const Dims& dims_b);
/// Returns the inner product over the last dimensions; the product if an operand is 0-dimensional.
/// PyTorch: torch.inner.
Tensor inner(const Tensor& input, const Tensor& other);
/// Returns the inner product of two vectors. PyTorch: torch.vdot.
Tensor vdot(const Tensor& input, const Tensor& other);
/// Returns the outer product of two vectors. PyTorch: torch.ger.
Tensor ger(const Tensor& input, const Tensor& vec2);
/// Returns the Kronecker product. PyTorch: torch.kron.
Tensor kron(const Tensor& input, const Tensor& other);
/// Returns the cross product of vectors of 3 elements along `dim`, by default the first dimension
/// of `input` of size 3. PyTorch: torch.cross.
Tensor cross(const Tensor& input, const Tensor& other, std::optional<IntArg> dim = {});
/// Returns beta * input + alpha * (vec1 outer vec2). PyTorch: torch.addr.
Tensor addr(const Tensor& input, const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
            const Scalar& alpha = 1);
/// Returns beta * input + alpha * the sum of the products of the matrices of two batches.
/// PyTorch: torch.addbmm.
Tensor addbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2,
              const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns the product of matrices, multiplied in the order of the least cost.
/// PyTorch: torch.chain_matmul.
Tensor chain_matmul(std::span<const Tensor> matrices);
Tensor chain_matmul(std::initializer_list<Tensor> matrices);
/// Returns the p-norm distances between the rows of x1 `(..., P, M)` and x2 `(..., R, M)`:
/// `(..., P, R)`, with batch dimensions broadcast. `compute_mode` is a hint and has no effect on
/// the result. Throws ShapeError if sizes do not match, DTypeError unless both have the same
/// floating-point dtype, ValueError if p is negative. PyTorch: torch.cdist.
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
             std::string_view compute_mode = "use_mm_for_euclid_dist_if_necessary");

}  // namespace taper
