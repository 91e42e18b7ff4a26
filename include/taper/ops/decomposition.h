// Matrix decompositions, inverses, determinants, linear systems and matrix norms.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/error.h"
#include "taper/core/not_null.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Functions of matrices `(..., M, N)` with any number of batch dimensions. The dtype must be
/// float32 or float64: DTypeError is thrown for others. ShapeError is thrown for fewer than 2
/// dimensions, and for matrices that are not square where square matrices are required.
namespace linalg {

/// Thrown if a factorization cannot be completed, such as that of a singular matrix.
/// PyTorch: torch.linalg.LinAlgError.
class LinAlgError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Tolerance for singular values: a number, a tensor that is broadcastable to the batch dimensions,
/// or `{}` for the default of the function.
class Tolerance {
 public:
  Tolerance() = default;
  Tolerance(std::nullopt_t) {}
  Tolerance(double number) : number_(number) {}
  Tolerance(std::optional<double> number) : number_(number) {}
  /// Throws ValueError if the tensor is undefined.
  Tolerance(const Tensor& tensor);

  bool has_value() const { return number_.has_value() || tensor_.defined(); }
  /// Returns the tolerance as a tensor; an undefined one if empty. A number becomes a tensor of the
  /// dtype and device of the options.
  Tensor to_tensor(const TensorOptions& options) const;

 private:
  std::optional<double> number_{};
  Tensor tensor_{};
};

// Decompositions.

/// Returns the Cholesky factor of symmetric positive-definite matrices: lower triangular L with
/// A = L L^T, or upper triangular U with A = U^T U. Only this triangle of the input is read. Throws
/// LinAlgError if a matrix is not positive-definite. PyTorch: torch.linalg.cholesky.
Tensor cholesky(const Tensor& input, bool upper = false);
/// Returns {L, info}: as `cholesky`, where `info` (int32) is 0, or the order of the first leading
/// minor that is not positive-definite, which is an error if `check_errors` is true.
/// PyTorch: torch.linalg.cholesky_ex.
[[nodiscard]] std::pair<Tensor, Tensor> cholesky_ex(const Tensor& input, bool upper = false,
                                                    bool check_errors = false);
/// Returns {Q, R}: orthonormal columns Q and upper triangular R with A = Q R. With K = min(M, N),
/// Q is `(..., M, K)` and R `(..., K, N)` for mode "reduced", `(..., M, M)` and `(..., M, N)` for
/// "complete"; for "r", Q is empty. Throws ValueError for another mode. PyTorch: torch.linalg.qr.
[[nodiscard]] std::pair<Tensor, Tensor> qr(const Tensor& A, std::string_view mode = "reduced");
/// Returns {U, S, Vh}: the singular value decomposition A = U diag(S) Vh, with the singular values
/// in descending order. Without `full_matrices`, U has min(M, N) columns and Vh as many rows.
/// Throws RuntimeError if elements are not finite. PyTorch: torch.linalg.svd.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, bool full_matrices = true);
/// Returns the singular values in descending order. PyTorch: torch.linalg.svdvals.
Tensor svdvals(const Tensor& A);
/// Returns {eigenvalues, eigenvectors} of symmetric matrices, in ascending order; the eigenvectors
/// are columns. UPLO is "L" or "U": the triangle that is read. Throws ValueError for another UPLO,
/// RuntimeError if elements are not finite. PyTorch: torch.linalg.eigh.
[[nodiscard]] std::pair<Tensor, Tensor> eigh(const Tensor& A, std::string_view UPLO = "L");
/// Returns the eigenvalues of symmetric matrices; see `eigh`. PyTorch: torch.linalg.eigvalsh.
Tensor eigvalsh(const Tensor& A, std::string_view UPLO = "L");
/// Returns {LU, pivots}: P A = L U with partial pivoting, where L, without its diagonal of ones, is
/// below the diagonal of LU `(..., M, N)` and U in and above it; row i was exchanged with row
/// pivots[i] - 1 (int32). Throws LinAlgError if an element on the diagonal of U is 0,
/// NotImplementedError if `pivot` is false. PyTorch: torch.linalg.lu_factor.
[[nodiscard]] std::pair<Tensor, Tensor> lu_factor(const Tensor& A, bool pivot = true);
/// Returns {LU, pivots, info}: as `lu_factor`, where `info` (int32) is 0, or the position of the
/// first 0 on the diagonal of U, which is an error if `check_errors` is true.
/// PyTorch: torch.linalg.lu_factor_ex.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> lu_factor_ex(const Tensor& A, bool pivot = true,
                                                              bool check_errors = false);
/// Returns {P, L, U} with A = P L U. PyTorch: torch.linalg.lu.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> lu(const Tensor& A, bool pivot = true);
/// Returns {LD, pivots}: the factorization A = L D L^T of symmetric matrices in LAPACK's form, by
/// the Bunch-Kaufman method. The lower triangle is read. The diagonal of LD and, for blocks of two
/// rows, the element below it are those of the block diagonal D; L, without its diagonal of ones,
/// is below D. pivots[i] = p > 0 (int32): rows and columns i and p - 1 were exchanged; two equal
/// pivots -p < 0 at i and i + 1: a block of two rows, of which i + 1 was exchanged with p - 1. For
/// real matrices, `hermitian` has no effect. Not differentiable. Throws LinAlgError if an element
/// of D is 0. PyTorch: torch.linalg.ldl_factor.
[[nodiscard]] std::pair<Tensor, Tensor> ldl_factor(const Tensor& A, bool hermitian = false);
/// Returns {LD, pivots, info}: as `ldl_factor`, where `info` (int32) is 0, or the position of the
/// first 0 on the diagonal of D, which is an error if `check_errors` is true.
/// PyTorch: torch.linalg.ldl_factor_ex.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> ldl_factor_ex(const Tensor& A,
                                                               bool hermitian = false,
                                                               bool check_errors = false);
/// Returns {U, H}: the polar decomposition A = U H for M >= N, with orthonormal columns U and a
/// symmetric positive-semidefinite H. PyTorch: torch.linalg.polar.
[[nodiscard]] std::pair<Tensor, Tensor> polar(const Tensor& A);

// Inverses and determinants.

/// Returns the inverse. Throws LinAlgError if a matrix is singular. PyTorch: torch.linalg.inv.
Tensor inv(const Tensor& A);
/// Returns {inverse, info}: as `inv`, where `info` (int32) is 0, or the position of the first zero
/// pivot, which is an error if `check_errors` is true. PyTorch: torch.linalg.inv_ex.
[[nodiscard]] std::pair<Tensor, Tensor> inv_ex(const Tensor& A, bool check_errors = false);
/// Returns the pseudoinverse `(..., N, M)`. Singular values of at most max(atol, rtol * largest)
/// are treated as 0. By default, atol is 0, and rtol is max(M, N) times the machine epsilon, or 0
/// if atol > 0 is given. With `hermitian`, the matrices are symmetric, and the lower triangle is
/// read.
/// PyTorch: torch.linalg.pinv.
Tensor pinv(const Tensor& A, const Tolerance& atol = {}, const Tolerance& rtol = {},
            bool hermitian = false);
/// Returns the number of singular values above the tolerance (int64); see `pinv`.
/// PyTorch: torch.linalg.matrix_rank.
Tensor matrix_rank(const Tensor& A, const Tolerance& atol = {}, const Tolerance& rtol = {},
                   bool hermitian = false);
/// Returns the determinants. PyTorch: torch.linalg.det.
Tensor det(const Tensor& A);
/// Returns {sign, logabsdet}: the sign of the determinant and the logarithm of its absolute value;
/// 0 and -inf for a singular matrix. PyTorch: torch.linalg.slogdet.
[[nodiscard]] std::pair<Tensor, Tensor> slogdet(const Tensor& A);
/// Returns the product of |n| matrices, of their inverses if n is negative; the identity for n = 0.
/// PyTorch: torch.linalg.matrix_power.
Tensor matrix_power(const Tensor& A, IntArg n);
/// Returns the symmetric square root of symmetric positive-definite matrices, of which the lower
/// triangle is read. PyTorch: torch.linalg.matrix_sqrth.
Tensor matrix_sqrth(const Tensor& A);

// Linear systems.

/// As solve(A, B) of taper/ops/linalg.h; solves X A = B if `left` is false. Throws LinAlgError if a
/// matrix is singular. PyTorch: torch.linalg.solve.
Tensor solve(const Tensor& A, const Tensor& B, bool left);
/// Returns {X, info}: as `solve`, where `info` (int32) is 0, or the position of the first zero
/// pivot, which is an error if `check_errors` is true. PyTorch: torch.linalg.solve_ex.
[[nodiscard]] std::pair<Tensor, Tensor> solve_ex(const Tensor& A, const Tensor& B, bool left = true,
                                                 bool check_errors = false);
/// Solves A X = B, or X A = B with left = false, for a triangular A, whose other triangle is not
/// read; with `unitriangular`, neither is the diagonal, which is taken as 1. Batch dimensions are
/// broadcast. PyTorch: torch.linalg.solve_triangular.
Tensor solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left = true,
                        bool unitriangular = false);
/// Solves A X = B, X A = B with left = false, or A^T X = B with `adjoint`, for a factorization of A
/// by lu_factor. PyTorch: torch.linalg.lu_solve.
Tensor lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left = true,
                bool adjoint = false);
/// Solves A X = B for the factorization of a symmetric A by ldl_factor. Batch dimensions are
/// broadcast. Differentiable with respect to B. Throws ShapeError if sizes do not match, DTypeError
/// if the dtypes differ or pivots are not integers, ValueError if pivots are out of range.
/// PyTorch: torch.linalg.ldl_solve.
Tensor ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian = false);
/// Returns {solution, residuals, rank, singular_values}: the X of least norm that minimizes
/// |A X - B|. B is `(..., M, K)`, or `(..., M)` if it has the shape of A without the last
/// dimension. It has as many dimensions as A, or one fewer; otherwise throws ShapeError. `driver`
/// is "gels" (full rank), "gelsy", "gelsd" or "gelss"; singular values of at most rcond * largest,
/// by default max(M, N) times the machine epsilon, are treated as 0. Tensors that the driver does
/// not compute are empty; residuals are computed for M > N and full rank, except by "gelsy". Throws
/// ValueError for another driver. PyTorch: torch.linalg.lstsq.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const Tensor& A, const Tensor& B,
                                                               std::optional<double> rcond = {},
                                                               std::string_view driver = "gelsy");
/// Returns the inverse of the linear map from the last dimensions to the first `ind`, as a tensor
/// with both groups of dimensions exchanged. Throws ShapeError unless their products are equal,
/// ValueError unless ind > 0. PyTorch: torch.linalg.tensorinv.
Tensor tensorinv(const Tensor& A, IntArg ind = 2);
/// Solves tensordot(A, X, X.dim()) = B. The dimensions `dims` of A are moved to its end first.
/// PyTorch: torch.linalg.tensorsolve.
Tensor tensorsolve(const Tensor& A, const Tensor& B, const std::optional<Dims>& dims = {});

// Norms and products.

/// Returns the norm of matrices: `ord` is "fro" or "nuc" (sum of the singular values), 2 or -2
/// (largest or smallest singular value), 1, -1, inf or -inf (largest or smallest sum of a column or
/// row). Throws ValueError for another order. PyTorch: torch.linalg.matrix_norm.
Tensor matrix_norm(const Tensor& A, NotNull<std::string_view> ord = "fro",
                   const Dims& dim = {-2, -1}, bool keepdim = false,
                   std::optional<DType> dtype = {});
Tensor matrix_norm(const Tensor& A, const Scalar& ord, const Dims& dim = {-2, -1},
                   bool keepdim = false, std::optional<DType> dtype = {});
/// Returns the 2-norm of all elements if neither `ord` nor `dim` is given; the norm of vectors if
/// `dim` is one dimension or the input is a vector; otherwise that of matrices.
/// PyTorch: torch.linalg.norm.
Tensor norm(const Tensor& A, const std::optional<Scalar>& ord = {},
            const std::optional<Dims>& dim = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
Tensor norm(const Tensor& A, NotNull<std::string_view> ord, const std::optional<Dims>& dim = {},
            bool keepdim = false, std::optional<DType> dtype = {});
/// Returns the condition number with respect to a matrix norm; the 2-norm by default.
/// PyTorch: torch.linalg.cond.
Tensor cond(const Tensor& A, const std::optional<Scalar>& p = {});
Tensor cond(const Tensor& A, std::string_view p);
/// Returns the product of matrices in the order of the least cost; the first and the last may be
/// vectors. PyTorch: torch.linalg.multi_dot.
Tensor multi_dot(std::span<const Tensor> tensors);
Tensor multi_dot(std::initializer_list<Tensor> tensors);
/// Returns the sum of the products along `dim`, with broadcasting. Throws DTypeError for integers
/// and for tensors of different dtypes. PyTorch: torch.linalg.vecdot.
Tensor vecdot(const Tensor& x, const Tensor& y, IntArg dim = -1);
/// Returns the cross product of vectors of 3 elements along `dim`. PyTorch: torch.linalg.cross.
Tensor cross(const Tensor& input, const Tensor& other, IntArg dim = -1);
/// Returns a view of diagonals; see taper::diagonal. PyTorch: torch.linalg.diagonal.
Tensor diagonal(const Tensor& A, IntArg offset = 0, IntArg dim1 = -2, IntArg dim2 = -1);
/// Returns the powers 0 to N - 1 of the elements as rows `(..., n, N)`; default: N = n.
/// PyTorch: torch.linalg.vander.
Tensor vander(const Tensor& x, std::optional<IntArg> N = {});
/// Matrix product and exponential; see taper::matmul and taper::matrix_exp.
/// PyTorch: torch.linalg.matmul, torch.linalg.matrix_exp.
Tensor matmul(const Tensor& input, const Tensor& other);
Tensor matrix_exp(const Tensor& A);

}  // namespace linalg

/// As the functions of linalg. PyTorch: torch.det, torch.slogdet, torch.inverse, torch.pinverse,
/// torch.matrix_power.
Tensor det(const Tensor& input);
[[nodiscard]] std::pair<Tensor, Tensor> slogdet(const Tensor& input);
Tensor inverse(const Tensor& input);
Tensor pinverse(const Tensor& input, double rcond = 1e-15);
Tensor matrix_power(const Tensor& input, IntArg n);
/// Returns the logarithm of the determinant; NaN if it is negative. PyTorch: torch.logdet.
Tensor logdet(const Tensor& input);
/// Returns the sum of the diagonal of a matrix. PyTorch: torch.trace.
Tensor trace(const Tensor& input);
/// Returns {U, S, V} with A = U diag(S) V^T. If `some` is true, U and V have min(M, N) columns;
/// without `compute_uv`, they are zero. PyTorch: torch.svd.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& input, bool some = true,
                                                     bool compute_uv = true);
/// Returns the inverse of A, given its Cholesky factor. Throws LinAlgError if a diagonal element of
/// the factor is 0. PyTorch: torch.cholesky_inverse.
Tensor cholesky_inverse(const Tensor& input, bool upper = false);
/// Solves A X = B, given the Cholesky factor `input2` of A. PyTorch: torch.cholesky_solve.
Tensor cholesky_solve(const Tensor& input, const Tensor& input2, bool upper = false);
/// Returns {X, A}: the solution of a triangular system A X = b. PyTorch: torch.triangular_solve.
[[nodiscard]] std::pair<Tensor, Tensor> triangular_solve(const Tensor& b, const Tensor& A,
                                                         bool upper = true, bool transpose = false,
                                                         bool unitriangular = false);
/// Returns {P, L, U} of the result of linalg::lu_factor; see linalg::lu. Parts that are not
/// requested are empty. PyTorch: torch.lu_unpack.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data,
                                                           const Tensor& LU_pivots,
                                                           bool unpack_data = true,
                                                           bool unpack_pivots = true);
/// As linalg::lu_solve, with B first. PyTorch: torch.lu_solve.
Tensor lu_solve(const Tensor& b, const Tensor& LU_data, const Tensor& LU_pivots);
/// Returns the product of `other` and the square matrix Q of the Householder reflectors in `input`
/// and `tau`: Q other, or other Q with left = false; Q^T with `transpose`. PyTorch: torch.ormqr.
Tensor ormqr(const Tensor& input, const Tensor& tau, const Tensor& other, bool left = true,
             bool transpose = false);
/// As linalg::householder_product. PyTorch: torch.orgqr.
Tensor orgqr(const Tensor& input, const Tensor& tau);

}  // namespace taper
