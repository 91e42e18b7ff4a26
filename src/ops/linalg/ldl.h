#pragma once
#include "ops/linalg/dense.h"

namespace taper {

/// Computes A = L D L^T of symmetric matrices with permutations folded into L, by the
/// Bunch-Kaufman method, in the form of LAPACK's sytrf for the lower triangle, which is read.
struct LdlFactorEx {
  bool hermitian = false;
  TAPER_ATTRIBUTES(hermitian)
  static constexpr OpInfo op{.name = "linalg_ldl_factor_ex",
                             .inputs = "input",
                             .outputs = "LD pivots info",
                             .dtypes = DTypeSet::full_precision,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.ldl_factor"};
  void infer(ShapeInference& i) const;
};

/// Solves A X = B for matrices of the same leading dimensions, given the result of LdlFactorEx.
struct LdlSolve {
  bool hermitian = false;
  TAPER_ATTRIBUTES(hermitian)
  static constexpr OpInfo op{.name = "linalg_ldl_solve",
                             .node = "LinalgLdlSolveBackward0",
                             .inputs = "LD pivots B",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | in(1),
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.ldl_solve"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LdlSolve>& b) const;
};

}  // namespace taper
