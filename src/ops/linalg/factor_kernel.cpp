// Kernels of ops that factor a matrix by elimination: Cholesky, LU, inverses, determinants and
// solutions of linear systems.
#include "ops/linalg/eigen.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <memory>

#include "ops/linalg/decompositions.h"
#include "ops/linalg/lapack.h"
#include "ops/linalg/large_matrices.h"
#include "ops/linalg/solve.h"
#include "ops/linalg/triangular.h"

namespace taper {
namespace {

using kernel::all_elements;
using kernel::all_matrices;
using kernel::EigenMatrix;
using kernel::EigenVector;
using kernel::Matrix;

/// Returns the order of the first leading minor that is not positive-definite; 0 if there is none.
template <class T> int find_indefinite_minor(EigenMatrix<T> a) {
  for (Eigen::Index j = 0; j < a.rows(); ++j) {
    if (!(a(j, j) > 0)) return static_cast<int>(j) + 1;
    a(j, j) = std::sqrt(a(j, j));
    for (Eigen::Index i = j + 1; i < a.rows(); ++i) a(i, j) /= a(j, j);
    for (Eigen::Index k = j + 1; k < a.rows(); ++k)
      for (Eigen::Index i = k; i < a.rows(); ++i) a(i, k) -= a(i, j) * a(k, j);
  }
  return 0;
}

/// Replaces a matrix by its factor L, from the lower triangle. Stores the order of the first
/// leading minor that is not positive-definite in `info`, or 0.
template <class T> void factor_cholesky(EigenMatrix<T>& a, int& info) {
  if (const auto* const lapack = kernel::lapack::find<T>(a.rows(), a.cols())) {
    const int n = static_cast<int>(a.rows());
    const char triangle = 'L';
    lapack->potrf(&triangle, &n, a.data(), &n, &info);
    for (int j = 0; info == 0 && j < n; ++j)
      if (std::isnan(a(j, j))) info = j + 1;  // not every version reports NaN
    a.template triangularView<Eigen::StrictlyUpper>().setZero();
    return;
  }
  Eigen::LLT<EigenMatrix<T>> llt(a);
  const auto& factor = llt.matrixLLT();
  if (llt.info() != Eigen::Success || !factor.diagonal().allFinite())
    info = find_indefinite_minor(a);
  a = EigenMatrix<T>(factor.template triangularView<Eigen::Lower>());
}

template <class T> struct Lu {
  EigenMatrix<T> a;         ///< L without its diagonal, and U
  EigenVector<int> pivots;  ///< row that was exchanged with row i
  int singular = 0;         ///< 1-based position of the first zero pivot; 0 if there is none
  bool odd = false;         ///< the permutation is odd
};

/// Computes P A = L U with partial pivoting. A zero pivot does not end the factorization.
template <class T> Lu<T> factor_lu(EigenMatrix<T> matrix) {
  const std::int64_t m = matrix.rows(), n = matrix.cols(), k = std::min(m, n);
  Lu<T> lu{std::move(matrix), EigenVector<int>(k)};
  const auto is_zero = std::make_unique<bool[]>(static_cast<std::size_t>(k));
  const kernel::Block<T> a{lu.a.data(), m, n, m};
  int* const pivots = lu.pivots.data();
  kernel::factor_lu(a.part(0, m, 0, k), pivots, is_zero.get());
  if (k < n) {
    const kernel::Block<T> right = a.part(0, k, k, n - k);
    kernel::exchange_rows(right, pivots, k);
    kernel::solve_triangle(kernel::Triangle::unit_lower, a.part(0, k, 0, k), right);
  }
  for (std::int64_t i = 0; i < k; ++i) {
    lu.odd ^= pivots[i] != i;
    if (is_zero[static_cast<std::size_t>(i)] && !lu.singular) lu.singular = static_cast<int>(i) + 1;
  }
  return lu;
}

/// Solves A X = B in place, where B has the columns of `x`.
template <class T> void solve_lu(Lu<T>& lu, EigenMatrix<T>& x) {
  const std::int64_t n = x.rows();
  const kernel::Block<T> a{lu.a.data(), n, n, n}, b{x.data(), n, x.cols(), n};
  kernel::exchange_rows(b, lu.pivots.data(), n);
  kernel::solve_triangle(kernel::Triangle::unit_lower, a, b);
  kernel::solve_triangle(kernel::Triangle::upper, a, b);
}

/// Calls f(matrix, i) for each matrix of an input, as matrices of the scalar type for its size.
template <class F> void factor_each(const View& input, F f) {
  const auto matrices = all_matrices(input);
  if (matrices.empty()) return;
  const Matrix& first = matrices[0];
  kernel::with_scalar_type(first.dtype, first.rows, first.cols, [&]<class T>(T) {
    kernel::for_each_matrix(matrices.size(), first,
                            [&](std::size_t i) { f(kernel::read<T>(matrices[i]), i); });
  });
}

}  // namespace

template <> void reference_kernel(const CholeskyEx& o, const KernelArgs& k) {
  const auto to = all_matrices(k.out[0]), infos = all_elements(k.out[1]);
  factor_each(k.in[0], [&]<class T>(EigenMatrix<T> a, std::size_t i) {
    if (o.upper) a.transposeInPlace();  // the lower triangle is read below
    int info = 0;
    if (a.rows() > 0) {
      factor_cholesky(a, info);
      if (o.upper) a.transposeInPlace();
    }
    kernel::write(a, to[i]);
    kernel::write_scalar(info, infos[i]);
  });
}

template <> void reference_kernel(const LuFactorEx&, const KernelArgs& k) {
  const auto to = all_matrices(k.out[0]), pivots = kernel::all_columns(k.out[1]),
             infos = all_elements(k.out[2]);
  factor_each(k.in[0], [&]<class T>(EigenMatrix<T> a, std::size_t i) {
    const Lu<T> lu = factor_lu(std::move(a));
    kernel::write(lu.a, to[i]);
    kernel::write(EigenVector<int>(lu.pivots.array() + 1), pivots[i]);
    kernel::write_scalar(lu.singular, infos[i]);
  });
}

template <> void reference_kernel(const InvEx&, const KernelArgs& k) {
  const auto to = all_matrices(k.out[0]), infos = all_elements(k.out[1]);
  factor_each(k.in[0], [&]<class T>(EigenMatrix<T> a, std::size_t i) {
    const Eigen::Index n = a.rows();
    Lu<T> lu = factor_lu(std::move(a));
    EigenMatrix<T> x = EigenMatrix<T>::Identity(n, n);
    solve_lu(lu, x);
    kernel::write(x, to[i]);
    kernel::write_scalar(lu.singular, infos[i]);
  });
}

template <> void reference_kernel(const Det&, const KernelArgs& k) {
  const auto to = all_elements(k.out[0]);
  factor_each(k.in[0], [&]<class T>(EigenMatrix<T> a, std::size_t i) {
    const Lu<T> lu = factor_lu(std::move(a));
    T product = lu.odd ? T(-1) : T(1);
    for (Eigen::Index j = 0; j < lu.pivots.size(); ++j) product *= lu.a(j, j);
    kernel::write_scalar(product, to[i]);
  });
}

template <> void reference_kernel(const Slogdet&, const KernelArgs& k) {
  const auto signs = all_elements(k.out[0]), logs = all_elements(k.out[1]);
  factor_each(k.in[0], [&]<class T>(EigenMatrix<T> a, std::size_t i) {
    const Lu<T> lu = factor_lu(std::move(a));
    T sign = lu.odd ? T(-1) : T(1), sum = 0;
    for (Eigen::Index j = 0; j < lu.pivots.size(); ++j) {
      const T d = lu.a(j, j);
      sign *= std::isnan(d) ? d : T((d > 0) - (d < 0));
      sum += std::log(std::abs(d));
    }
    kernel::write_scalar(sign, signs[i]);
    kernel::write_scalar(sum, logs[i]);
  });
}

template <> bool cpu_kernel(const Solve&, const KernelArgs& k) {
  const auto bs = all_matrices(k.in[1]), to = all_matrices(k.out[0]);
  const auto infos = all_elements(k.out[1]);
  factor_each(k.in[0], [&]<class T>(EigenMatrix<T> a, std::size_t i) {
    Lu<T> lu = factor_lu(std::move(a));
    EigenMatrix<T> x = kernel::read<T>(bs[i]);
    solve_lu(lu, x);
    kernel::write(x, to[i]);
    kernel::write_scalar(lu.singular, infos[i]);
  });
  return true;
}

template <> void reference_kernel(const SolveTriangular& o, const KernelArgs& k) {
  // X A = B is A^T X^T = B^T.
  const auto oriented = [&](const View& v) {
    auto matrices = all_matrices(v);
    if (!o.left)
      for (Matrix& m : matrices) m = m.transposed();
    return matrices;
  };
  const auto as = oriented(k.in[0]), bs = oriented(k.in[1]), to = oriented(k.out[0]);
  if (k.out[0].numel == 0) return;
  const bool upper = o.upper == o.left;
  kernel::with_scalar_type(as[0].dtype, as[0].rows, bs[0].cols, [&]<class T>(T) {
    kernel::for_each_matrix(as.size(), bs[0], [&](std::size_t i) {
      if (kernel::large::solve_triangular(as[i], bs[i], upper, o.unitriangular, to[i])) return;
      const auto a = kernel::read<T>(as[i]);
      auto x = kernel::read<T>(bs[i]);
      if (upper && o.unitriangular)
        a.template triangularView<Eigen::UnitUpper>().solveInPlace(x);
      else if (upper)
        a.template triangularView<Eigen::Upper>().solveInPlace(x);
      else if (o.unitriangular)
        a.template triangularView<Eigen::UnitLower>().solveInPlace(x);
      else
        a.template triangularView<Eigen::Lower>().solveInPlace(x);
      kernel::write(x, to[i]);
    });
  });
}

}  // namespace taper
