// Kernels of ops on orthogonal factors: QR, singular values, eigenvalues, pseudoinverses and least
// squares.
#include "ops/linalg/eigen.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

#include "ops/linalg/decompositions.h"
#include "ops/linalg/large_matrices.h"

namespace taper {
namespace {

using kernel::all_columns;
using kernel::all_elements;
using kernel::all_matrices;
using kernel::batch_element_text;
using kernel::EigenMatrix;
using kernel::EigenVector;
using kernel::Matrix;

/// Calls f(zero, i) for each matrix, where `zero` has the type of the computation: double, because
/// a second type would double the time to compile this file.
template <class F> void for_each_in_scalar_type(const std::vector<Matrix>& matrices, F f) {
  if (matrices.empty()) return;
  kernel::for_each_matrix(matrices.size(), matrices[0], [&](std::size_t i) { f(0.0, i); });
}

template <class T> using Singular = Eigen::BDCSVD<EigenMatrix<T>>;

/// Returns the decomposition of a matrix that is not empty. Throws PyTorch's error of `op` if it
/// has elements that are not finite.
template <class T> Singular<T> decompose(const EigenMatrix<T>& a, unsigned options, const char* op,
                                         const std::string& element) {
  if (a.allFinite()) {
    Singular<T> svd(a, options);
    if (svd.info() == Eigen::Success) return svd;
  }
  kernel::large::fail_non_finite(op, element);
}

template <class T>
Eigen::SelfAdjointEigenSolver<EigenMatrix<T>> decompose_symmetric(const EigenMatrix<T>& a,
                                                                  bool vectors, const char* op,
                                                                  const std::string& element) {
  Eigen::SelfAdjointEigenSolver<EigenMatrix<T>> solver;
  if (EigenMatrix<T>(a.template triangularView<Eigen::Lower>()).allFinite()) {
    solver.compute(a, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
    if (solver.info() == Eigen::Success) return solver;
  }
  kernel::large::fail_ill_conditioned(op, element, a.rows());
}

}  // namespace

template <> void reference_kernel(const Qr& o, const KernelArgs& k) {
  const auto from = all_matrices(k.in[0]), rs = all_matrices(k.out[1]);
  const bool with_q = o.mode != "r";
  const auto qs = with_q ? all_matrices(k.out[0]) : std::vector<Matrix>();
  for_each_in_scalar_type(from, [&]<class T>(T, std::size_t i) {
    if (kernel::large::decompose_qr(from[i], with_q ? &qs[i] : nullptr, rs[i])) return;
    const auto a = kernel::read<T>(from[i]);
    if (a.size() == 0) {
      if (with_q) kernel::write(EigenMatrix<T>::Identity(qs[i].rows, qs[i].cols), qs[i]);
      return;
    }
    const Eigen::HouseholderQR<EigenMatrix<T>> qr(a);
    const EigenMatrix<T> r =
        qr.matrixQR().topRows(rs[i].rows).template triangularView<Eigen::Upper>();
    kernel::write(r, rs[i]);
    if (!with_q) return;
    const EigenMatrix<T> q = qr.householderQ() * EigenMatrix<T>::Identity(qs[i].rows, qs[i].cols);
    kernel::write(q, qs[i]);
  });
}

template <> void reference_kernel(const Svd& o, const KernelArgs& k) {
  const auto from = all_matrices(k.in[0]), values = all_columns(k.out[1]);
  const auto us = o.compute_uv ? all_matrices(k.out[0]) : std::vector<Matrix>(),
             vhs = o.compute_uv ? all_matrices(k.out[2]) : std::vector<Matrix>();
  const unsigned options = !o.compute_uv     ? 0u
                           : o.full_matrices ? unsigned{Eigen::ComputeFullU | Eigen::ComputeFullV}
                                             : unsigned{Eigen::ComputeThinU | Eigen::ComputeThinV};
  for_each_in_scalar_type(from, [&]<class T>(T, std::size_t i) {
    const std::string element = batch_element_text(k.in[0], i);
    if (kernel::large::decompose_svd(from[i], o.compute_uv ? &us[i] : nullptr, values[i],
                                     o.compute_uv ? &vhs[i] : nullptr, "linalg.svd", element))
      return;
    const auto a = kernel::read<T>(from[i]);
    if (a.size() == 0) {
      if (!o.compute_uv) return;
      kernel::write(EigenMatrix<T>::Identity(us[i].rows, us[i].cols), us[i]);
      kernel::write(EigenMatrix<T>::Identity(vhs[i].rows, vhs[i].cols), vhs[i]);
      return;
    }
    const auto svd = decompose(a, options, "linalg.svd", element);
    kernel::write(svd.singularValues(), values[i]);
    if (!o.compute_uv) return;
    kernel::write(svd.matrixU(), us[i]);
    kernel::write(svd.matrixV(), vhs[i].transposed());
  });
}

template <> void reference_kernel(const Eigh& o, const KernelArgs& k) {
  auto from = all_matrices(k.in[0]);
  if (o.UPLO == "U" || o.UPLO == "u")  // the lower triangle is read below
    for (Matrix& m : from) m = m.transposed();
  const auto values = all_columns(k.out[0]),
             vectors = o.compute_v ? all_matrices(k.out[1]) : std::vector<Matrix>();
  for_each_in_scalar_type(from, [&]<class T>(T, std::size_t i) {
    const std::string element = batch_element_text(k.in[0], i);
    if (kernel::large::decompose_symmetric(from[i], values[i], o.compute_v ? &vectors[i] : nullptr,
                                           "linalg.eigh", element))
      return;
    const auto a = kernel::read<T>(from[i]);
    if (a.size() == 0) return;
    const auto solver = decompose_symmetric(a, o.compute_v, "linalg.eigh", element);
    kernel::write(solver.eigenvalues(), values[i]);
    if (o.compute_v) kernel::write(solver.eigenvectors(), vectors[i]);
  });
}

template <> void reference_kernel(const Pinv& o, const KernelArgs& k) {
  const auto from = all_matrices(k.in[0]), to = all_matrices(k.out[0]),
             atols = all_elements(k.in[1]), rtols = all_elements(k.in[2]);
  for_each_in_scalar_type(from, [&]<class T>(T, std::size_t i) {
    const auto a = kernel::read<T>(from[i]);
    if (a.size() == 0) return;
    const T atol = kernel::read<T>(atols[i])(0, 0), rtol = kernel::read<T>(rtols[i])(0, 0);
    const std::string element = batch_element_text(k.in[0], i);
    if (kernel::large::invert_pseudo(from[i], o.hermitian, atol, rtol, to[i], element)) return;
    const auto inverted = [&](EigenVector<T> s) {
      const T limit = std::max(atol, rtol * s.cwiseAbs().maxCoeff());
      for (Eigen::Index j = 0; j < s.size(); ++j) s(j) = std::abs(s(j)) > limit ? 1 / s(j) : T(0);
      return s;
    };
    EigenMatrix<T> p;
    if (o.hermitian) {
      const auto solver = decompose_symmetric(a, true, "linalg.eigh", element);
      p = solver.eigenvectors() * inverted(solver.eigenvalues()).asDiagonal() *
          solver.eigenvectors().transpose();
    } else {
      const auto svd =
          decompose(a, Eigen::ComputeThinU | Eigen::ComputeThinV, "linalg.svd", element);
      p = svd.matrixV() * inverted(svd.singularValues()).asDiagonal() * svd.matrixU().transpose();
    }
    kernel::write(p, to[i]);
  });
}

template <> void reference_kernel(const Lstsq& o, const KernelArgs& k) {
  const auto from = all_matrices(k.in[0]), bs = all_matrices(k.in[1]), to = all_matrices(k.out[0]);
  const bool with_values = o.driver == "gelss" || o.driver == "gelsd",
             with_rank = o.driver != "gels";
  const auto ranks = with_rank ? all_elements(k.out[1]) : std::vector<Matrix>();
  const auto values = with_values ? all_columns(k.out[2]) : std::vector<Matrix>();
  for_each_in_scalar_type(from, [&]<class T>(T, std::size_t i) {
    const auto a = kernel::read<T>(from[i]), b = kernel::read<T>(bs[i]);
    if (a.size() == 0) {
      kernel::write(EigenMatrix<T>::Zero(to[i].rows, to[i].cols), to[i]);
      if (with_rank) kernel::write_scalar(0, ranks[i]);
      return;
    }
    const T rcond = static_cast<T>(o.rcond);
    // Eigen would take the address of the first element of a right-hand side without columns.
    const auto solution = [&](const auto& factors) {
      return b.size() == 0 ? EigenMatrix<T>(a.cols(), b.cols()) : EigenMatrix<T>(factors.solve(b));
    };
    if (with_values) {
      auto svd = decompose(a, Eigen::ComputeThinU | Eigen::ComputeThinV, "linalg.lstsq",
                           batch_element_text(k.in[0], i));
      svd.setThreshold(rcond);
      kernel::write(solution(svd), to[i]);
      kernel::write_scalar(static_cast<int>(svd.rank()), ranks[i]);
      kernel::write(svd.singularValues(), values[i]);
    } else {
      Eigen::CompleteOrthogonalDecomposition<EigenMatrix<T>> factors(a.rows(), a.cols());
      // "gels" assumes full rank.
      factors.setThreshold(with_rank ? rcond : T(0));
      factors.compute(a);
      kernel::write(solution(factors), to[i]);
      if (with_rank) kernel::write_scalar(static_cast<int>(factors.rank()), ranks[i]);
    }
  });
}

}  // namespace taper
