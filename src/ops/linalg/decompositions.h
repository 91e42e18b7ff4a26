// Matrix decompositions, inverses, determinants and least squares of float32 and float64 matrices
// (..., M, N).
#pragma once
#include "ops/linalg/dense.h"

namespace taper {

struct CholeskyEx {
  bool upper = false;
  TAPER_ATTRIBUTES(upper)
  static constexpr OpInfo op{.name = "linalg_cholesky_ex",
                             .node = "LinalgCholeskyExBackward0",
                             .inputs = "input",
                             .outputs = "L info",
                             .dtypes = DTypeSet::full_precision,
                             .saved = out(0),
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.cholesky"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<CholeskyEx>& b) const;
};

/// P A = L U in LAPACK's form: L below the diagonal, U in and above it, 1-based pivot rows.
struct LuFactorEx {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_lu_factor_ex",
                             .node = "LinalgLuFactorExBackward0",
                             .inputs = "input",
                             .outputs = "LU pivots info",
                             .dtypes = DTypeSet::full_precision,
                             .saved = out(0) | out(1),
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.lu_factor"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LuFactorEx>& b) const;
};

struct InvEx {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_inv_ex",
                             .node = "LinalgInvExBackward0",
                             .inputs = "input",
                             .outputs = "inverse info",
                             .dtypes = DTypeSet::full_precision,
                             .saved = out(0),
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.inv"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<InvEx>& b) const;
};

struct Det {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_det",
                             .node = "LinalgDetBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | out(0),
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.det"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Det>& b) const;
};

struct Slogdet {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_slogdet",
                             .node = "LinalgSlogdetBackward0",
                             .inputs = "input",
                             .outputs = "sign logabsdet",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0),
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.slogdet"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Slogdet>& b) const;
};

/// Solves A X = B for a triangular A, or X A = B. Elements on the other side of the diagonal, and
/// the diagonal if `unitriangular` is true, are not read.
struct SolveTriangular {
  bool upper = false, left = true, unitriangular = false;
  TAPER_ATTRIBUTES(upper, left, unitriangular)
  static constexpr OpInfo op{.name = "linalg_solve_triangular",
                             .node = "LinalgSolveTriangularBackward0",
                             .inputs = "input B",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | out(0),
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.solve_triangular"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<SolveTriangular>& b) const;
};

/// mode: "reduced", "complete" or "r", for which Q is empty.
struct Qr {
  std::string mode = "reduced";
  TAPER_ATTRIBUTES(mode)
  static constexpr OpInfo op{.name = "linalg_qr",
                             .node = "LinalgQrBackward0",
                             .inputs = "A",
                             .outputs = "Q R",
                             .dtypes = DTypeSet::full_precision,
                             .saved = out(0) | out(1),
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.qr"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Qr>& b) const;
};

/// Without `compute_uv`, U and Vh are empty and the op has no gradient.
struct Svd {
  bool full_matrices = false, compute_uv = true;
  TAPER_ATTRIBUTES(full_matrices, compute_uv)
  static constexpr OpInfo op{.name = "linalg_svd",
                             .node = "LinalgSvdBackward0",
                             .inputs = "A",
                             .outputs = "U S Vh",
                             .dtypes = DTypeSet::full_precision,
                             .saved = out(0) | out(1) | out(2),
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.svd"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Svd>& b) const;
};

/// Without `compute_v`, the eigenvectors are empty and the op has no gradient.
struct Eigh {
  std::string UPLO = "L";
  bool compute_v = true;
  TAPER_ATTRIBUTES(UPLO, compute_v)
  static constexpr OpInfo op{.name = "linalg_eigh",
                             .node = "LinalgEighBackward0",
                             .inputs = "A",
                             .outputs = "eigenvalues eigenvectors",
                             .dtypes = DTypeSet::full_precision,
                             .saved = out(0) | out(1),
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.eigh"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Eigh>& b) const;
};

/// Pseudoinverse without the singular values that are at most max(atol, rtol * largest), for
/// tolerances in the batch shape of the input.
struct Pinv {
  bool hermitian = false;
  TAPER_ATTRIBUTES(hermitian)
  static constexpr OpInfo op{.name = "linalg_pinv",
                             .node = "LinalgPinvBackward0",
                             .inputs = "input atol rtol",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | out(0),
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.pinv"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Pinv>& b) const;
};

/// Minimizes |A X - B| for the same leading dimensions. `driver` is LAPACK's name of the method.
struct Lstsq {
  double rcond = 0;
  std::string driver = "gelsy";
  TAPER_ATTRIBUTES(rcond, driver)
  static constexpr OpInfo op{.name = "linalg_lstsq",
                             .node = "LinalgLstsqBackward0",
                             .inputs = "input B",
                             .outputs = "solution rank singular_values",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | in(1) | out(0),
                             .autocast = AutocastPolicy::f32,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.lstsq"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Lstsq>& b) const;
};

}  // namespace taper
