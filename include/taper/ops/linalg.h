// Products of vectors and matrices, and functions of matrices.
#pragma once
#include <cstdint>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
struct LinalgMethods {
  /// Matrix product (M, K) x (K, N) -> (M, N). Either operand may be a transposed view: nothing is
  /// copied. Throws ShapeError, DTypeError (dtypes differ). PyTorch: Tensor.mm.
  Tensor mm(const Tensor& mat2) const;
  /// A product per batch: (B, M, K) x (B, K, N) -> (B, M, N).
  Tensor bmm(const Tensor& mat2) const;
  /// Matrix times vector: (M, K) x (K) -> (M).
  Tensor mv(const Tensor& vec) const;
  /// The inner product of two vectors (N): a 0-dim tensor.
  Tensor dot(const Tensor& tensor) const;
  /// All products of two vectors: (M), (N) -> (M, N).
  Tensor outer(const Tensor& vec2) const;
  /// The product of operands of any rank: see taper::matmul.
  Tensor matmul(const Tensor& other) const;
  /// beta * self + alpha * (mat1 x mat2): see taper::addmm.
  Tensor addmm(const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
               const Scalar& alpha = 1) const;

  /// The matrices (..., M, N) with zeros below (above) a diagonal: 0 is the main one, positive ones
  /// lie above it. PyTorch: Tensor.triu, Tensor.tril.
  Tensor triu(IntArg diagonal = 0) const;
  Tensor tril(IntArg diagonal = 0) const;
  /// A view of a diagonal of the matrices in dim1 and dim2: (..., L), those dimensions taken out.
  Tensor diagonal(IntArg offset = 0, IntArg dim1 = 0, IntArg dim2 = 1) const;
  /// See taper::matrix_exp.
  Tensor matrix_exp() const;
};
}  // namespace ops

/// As the methods of these names.
Tensor mm(const Tensor& input, const Tensor& mat2);
Tensor bmm(const Tensor& input, const Tensor& mat2);
Tensor mv(const Tensor& input, const Tensor& vec);
Tensor dot(const Tensor& input, const Tensor& tensor);
Tensor outer(const Tensor& input, const Tensor& vec2);

/// The product of the last two dimensions, with the others broadcast: (..., M, K) x (..., K, N) ->
/// (..., M, N). A vector on the left is a row, on the right a column, whose dimension is dropped
/// from the result; two vectors give their inner product. Throws ShapeError for a 0-dim operand and
/// for sizes that do not fit, DTypeError if dtypes differ. PyTorch: torch.matmul.
Tensor matmul(const Tensor& input, const Tensor& other);

/// beta * input + alpha * (mat1 x mat2) for mat1 (M, K), mat2 (K, N) and an input that broadcasts
/// to (M, N). With beta 0 the input is not read. PyTorch: torch.addmm.
Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// The same for batches: batch1 (B, M, K), batch2 (B, K, N). PyTorch: torch.baddbmm.
Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2,
               const Scalar& beta = 1, const Scalar& alpha = 1);
/// The same for a matrix (M, K) and a vector (K). PyTorch: torch.addmv.
Tensor addmv(const Tensor& input, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
             const Scalar& alpha = 1);

/// Returns input (..., in) x weight (out, in) transposed, plus bias (out) if there is one:
/// (..., out). For a weight (in): (...). Throws ShapeError, DTypeError. PyTorch: F.linear.
Tensor linear(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {});

/// As the methods of these names.
Tensor triu(const Tensor& input, IntArg diagonal = 0);
Tensor tril(const Tensor& input, IntArg diagonal = 0);
Tensor diagonal(const Tensor& input, IntArg offset = 0, IntArg dim1 = 0, IntArg dim2 = 1);

/// I + A + A A / 2 + A A A / 6 + ... of square matrices (..., N, N). Throws ShapeError, DTypeError.
/// PyTorch: torch.matrix_exp.
Tensor matrix_exp(const Tensor& input);

/// {a, tau}: the QR decomposition of matrices (..., M, N) as LAPACK keeps it. R is in and above the
/// diagonal of a (..., M, N), the reflectors I - tau v v^T below it, each v with a 1 on the
/// diagonal that is not kept; tau is (..., min(M, N)). No gradient. Throws ShapeError, DTypeError.
/// PyTorch: torch.geqrf.
[[nodiscard]] std::pair<Tensor, Tensor> geqrf(const Tensor& input);

namespace linalg {

/// X with A X = B: A (..., N, N) and B (..., N, K), or (..., N) where A has just one dimension
/// more. The dimensions in front broadcast. Throws ShapeError, DTypeError, RuntimeError for a
/// singular A. PyTorch: torch.linalg.solve.
Tensor solve(const Tensor& A, const Tensor& B);

/// The first N columns of the product of the reflectors I - tau v v^T that the columns of `input`
/// (..., M, N), M >= N, keep as geqrf does; tau (..., K), K <= N. Throws ShapeError, DTypeError.
/// PyTorch: torch.linalg.householder_product.
Tensor householder_product(const Tensor& input, const Tensor& tau);

}  // namespace linalg

}  // namespace taper
