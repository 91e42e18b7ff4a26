// Products of vectors and matrices, and matrix functions.
#pragma once
#include <cstdint>
#include <tuple>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods of linear algebra. Throw ShapeError if sizes do not match, DTypeError if the
/// dtypes differ.
struct LinalgMethods {
  /// Returns the matrix product of matrices `(M, K)` and `(K, N)`: `(M, N)`. Transposed views are
  /// not copied. PyTorch: torch.Tensor.mm.
  Tensor mm(const Tensor& mat2) const;
  /// Returns the batched matrix product of `(B, M, K)` and `(B, K, N)`: `(B, M, N)`.
  /// PyTorch: torch.Tensor.bmm.
  Tensor bmm(const Tensor& mat2) const;
  /// Returns the product of a matrix `(M, K)` and a vector `(K)`: `(M)`. PyTorch: torch.Tensor.mv.
  Tensor mv(const Tensor& vec) const;
  /// Returns the inner product of two vectors `(N)` as a 0-dimensional tensor.
  /// PyTorch: torch.Tensor.dot.
  Tensor dot(const Tensor& tensor) const;
  /// Returns the outer product of vectors `(M)` and `(N)`: `(M, N)`. PyTorch: torch.Tensor.outer.
  Tensor outer(const Tensor& vec2) const;
  /// Returns the matrix product with broadcasting; see taper::matmul. PyTorch: torch.Tensor.matmul.
  Tensor matmul(const Tensor& other) const;
  /// Returns beta * self + alpha * (mat1 @ mat2); see taper::addmm. PyTorch: torch.Tensor.addmm.
  Tensor addmm(const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
               const Scalar& alpha = 1) const;
  /// As the functions of these names. Forms that end in `_` overwrite this tensor and throw
  /// ShapeError if the result has another shape. PyTorch: torch.Tensor.addmv,
  /// torch.Tensor.baddbmm, torch.Tensor.addmm_, torch.Tensor.addmv_, torch.Tensor.baddbmm_.
  Tensor addmv(const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
               const Scalar& alpha = 1) const;
  Tensor baddbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta = 1,
                 const Scalar& alpha = 1) const;
  const Tensor& addmm_(const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
                       const Scalar& alpha = 1) const;
  const Tensor& addmv_(const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
                       const Scalar& alpha = 1) const;
  const Tensor& baddbmm_(const Tensor& batch1, const Tensor& batch2, const Scalar& beta = 1,
                         const Scalar& alpha = 1) const;

  /// Returns the upper (`triu`) or lower (`tril`) triangular part of matrices `(..., M, N)`; the
  /// other elements are zero. `diagonal` 0 is the main diagonal, a positive value is above it.
  /// PyTorch: torch.Tensor.triu, torch.Tensor.tril.
  Tensor triu(IntArg diagonal = 0) const;
  Tensor tril(IntArg diagonal = 0) const;
  /// Returns a view of a diagonal with respect to dim1 and dim2, which are removed; the diagonal
  /// `(..., L)` is the last dimension. `offset` 0 is the main diagonal, a positive value is above
  /// it. PyTorch: torch.Tensor.diagonal.
  Tensor diagonal(IntArg offset = 0, IntArg dim1 = 0, IntArg dim2 = 1) const;
  /// Returns the matrix exponential; see taper::matrix_exp. PyTorch: torch.Tensor.matrix_exp.
  Tensor matrix_exp() const;
  /// As the functions of these names in taper/ops/decomposition.h. PyTorch: torch.Tensor.det,
  /// torch.Tensor.slogdet, torch.Tensor.logdet, torch.Tensor.inverse, torch.Tensor.pinverse,
  /// torch.Tensor.trace, torch.Tensor.svd.
  Tensor det() const;
  [[nodiscard]] std::pair<Tensor, Tensor> slogdet() const;
  Tensor logdet() const;
  Tensor inverse() const;
  Tensor pinverse(double rcond = 1e-15) const;
  Tensor trace() const;
  [[nodiscard]] std::tuple<Tensor, Tensor, Tensor> svd(bool some = true,
                                                       bool compute_uv = true) const;
  /// As the functions of these names, with this tensor as the first argument. PyTorch:
  /// torch.Tensor.matrix_power, torch.Tensor.cholesky_inverse, torch.Tensor.cholesky_solve,
  /// torch.Tensor.geqrf, torch.Tensor.lu, torch.Tensor.lu_solve, torch.Tensor.orgqr,
  /// torch.Tensor.ormqr, torch.Tensor.triangular_solve.
  Tensor matrix_power(IntArg n) const;
  Tensor cholesky_inverse(bool upper = false) const;
  Tensor cholesky_solve(const Tensor& input2, bool upper = false) const;
  [[nodiscard]] std::pair<Tensor, Tensor> geqrf() const;
  [[nodiscard]] std::pair<Tensor, Tensor> lu(bool pivot = true) const;
  Tensor lu_solve(const Tensor& LU_data, const Tensor& LU_pivots) const;
  Tensor orgqr(const Tensor& tau) const;
  Tensor ormqr(const Tensor& tau, const Tensor& other, bool left = true,
               bool transpose = false) const;
  [[nodiscard]] std::pair<Tensor, Tensor> triangular_solve(const Tensor& A, bool upper = true,
                                                           bool transpose = false,
                                                           bool unitriangular = false) const;
};
}  // namespace ops

/// Products of vectors and matrices; see the methods of Tensor. PyTorch: torch.mm, torch.bmm,
/// torch.mv, torch.dot, torch.outer.
Tensor mm(const Tensor& input, const Tensor& mat2);
Tensor bmm(const Tensor& input, const Tensor& mat2);
Tensor mv(const Tensor& input, const Tensor& vec);
Tensor dot(const Tensor& input, const Tensor& tensor);
Tensor outer(const Tensor& input, const Tensor& vec2);

/// Returns the matrix product of the last two dimensions, with the others broadcast: `(..., M, K)`
/// and `(..., K, N)` to `(..., M, N)`. A vector on the left is treated as a row, a vector on the
/// right as a column, whose dimension is removed from the result; two vectors result in their inner
/// product. Throws ShapeError for a 0-dimensional operand and if sizes do not match, DTypeError if
/// the dtypes differ. PyTorch: torch.matmul.
Tensor matmul(const Tensor& input, const Tensor& other);

/// Returns beta * input + alpha * (mat1 @ mat2) for mat1 `(M, K)`, mat2 `(K, N)` and an input that
/// is broadcastable to `(M, N)`. If beta is 0, the input is not read. PyTorch: torch.addmm.
Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// Returns beta * input + alpha * (batch1 @ batch2) for batch1 `(B, M, K)`, batch2 `(B, K, N)` and
/// an input that is broadcastable to `(B, M, N)`. If beta is 0, the input is not read.
/// PyTorch: torch.baddbmm.
Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2,
               const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns beta * input + alpha * (mat @ vec) for mat `(M, K)`, vec `(K)` and an input that is
/// broadcastable to `(M)`. If beta is 0, the input is not read. PyTorch: torch.addmv.
Tensor addmv(const Tensor& input, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
             const Scalar& alpha = 1);

/// Overwrites `input` with addmv(input, mat, vec, beta, alpha). Throws ShapeError if the result has
/// another shape. PyTorch: torch.addmv_.
const Tensor& addmv_(const Tensor& input, const Tensor& mat, const Tensor& vec,
                     const Scalar& beta = 1, const Scalar& alpha = 1);

/// Triangular parts and diagonals of matrices; see the methods of Tensor. PyTorch: torch.triu,
/// torch.tril, torch.diagonal.
Tensor triu(const Tensor& input, IntArg diagonal = 0);
Tensor tril(const Tensor& input, IntArg diagonal = 0);
Tensor diagonal(const Tensor& input, IntArg offset = 0, IntArg dim1 = 0, IntArg dim2 = 1);

/// Returns the matrix exponential I + A + A^2 / 2! + A^3 / 3! + ... of square matrices
/// `(..., N, N)`. Throws ShapeError if the matrices are not square, DTypeError if the dtype is not
/// supported. PyTorch: torch.matrix_exp.
Tensor matrix_exp(const Tensor& input);

/// Returns {a, tau}: the QR decomposition of matrices `(..., M, N)` in LAPACK's form. R is in and
/// above the diagonal of a `(..., M, N)`. Below the diagonal are the vectors v, whose implicit
/// diagonal element is 1, of the Householder reflectors I - tau v v^T; tau is `(..., min(M, N))`.
/// Not differentiable. Throws ShapeError for fewer than 2 dimensions, DTypeError if the dtype is
/// not supported. PyTorch: torch.geqrf.
[[nodiscard]] std::pair<Tensor, Tensor> geqrf(const Tensor& input);

/// As linalg::lu_factor; linalg::lu_factor_ex also returns the infos. PyTorch: torch.lu.
[[nodiscard]] std::pair<Tensor, Tensor> lu(const Tensor& A, bool pivot = true);

namespace linalg {

/// Solves A X = B for A `(..., N, N)` and B `(..., N, K)`, or `(..., N)` if B has one dimension
/// fewer than A. Batch dimensions are broadcast. Throws ShapeError if sizes do not match,
/// DTypeError if the dtypes differ, RuntimeError if a matrix is singular.
/// PyTorch: torch.linalg.solve.
Tensor solve(const Tensor& A, const Tensor& B);

/// Returns the first N columns of the product of the Householder reflectors I - tau v v^T, whose
/// vectors v are stored in the columns of `input` `(..., M, N)`, M >= N, as by geqrf; tau is
/// `(..., K)`, K <= N. Throws ShapeError if sizes do not match, DTypeError if the dtypes differ.
/// PyTorch: torch.linalg.householder_product.
Tensor householder_product(const Tensor& input, const Tensor& tau);

}  // namespace linalg

}  // namespace taper
