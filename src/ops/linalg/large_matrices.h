// Decompositions of large matrices with LAPACK. The functions return false, without a result, for
// matrices that LAPACK does not decompose: see lapack::find.
#pragma once
#include <string>

#include "ops/linalg/matrix.h"

namespace taper::kernel::large {

/// Solves A X = B with the upper or lower triangle of A, whose diagonal counts as 1 if `is_unit`.
bool solve_triangular(const Matrix& a, const Matrix& b, bool upper, bool is_unit, const Matrix& x);
/// Computes the reflectors of a QR decomposition, as geqrf of LAPACK.
bool factor_qr(const Matrix& a, const Matrix& reflectors, const Matrix& tau);
/// Computes the columns of Q that `q` has from reflectors.
bool form_q(const Matrix& reflectors, const Matrix& tau, const Matrix& q);
/// Computes R and, unless it is null, Q, with the sizes of the results.
bool decompose_qr(const Matrix& a, const Matrix* q, const Matrix& r);
/// Computes the singular values and, unless they are null, U and V^T with the sizes of the results.
/// Throws the error of `op` about the matrix `element` if `a` has elements that are not finite.
bool decompose_svd(const Matrix& a, const Matrix* u, const Matrix& values, const Matrix* vt,
                   const char* op, const std::string& element);
/// Computes the eigenvalues and, unless it is null, the eigenvectors from the lower triangle.
bool decompose_symmetric(const Matrix& a, const Matrix& values, const Matrix* vectors,
                         const char* op, const std::string& element);

/// Computes the pseudoinverse, for which singular values (with `hermitian`, absolute eigenvalues)
/// of at most max(atol, rtol * the largest) count as 0.
bool invert_pseudo(const Matrix& a, bool hermitian, double atol, double rtol, const Matrix& to,
                   const std::string& element);

/// Throws the errors of matrices whose decomposition does not converge.
[[noreturn]] void fail_non_finite(const char* op, const std::string& element);
[[noreturn]] void fail_ill_conditioned(const char* op, const std::string& element,
                                       std::int64_t code);

}  // namespace taper::kernel::large
