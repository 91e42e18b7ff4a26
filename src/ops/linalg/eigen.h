// Matrices of views as Eigen's matrices, and loops over batches. Included by few kernel sources,
// because templates of Eigen compile slowly.
#pragma once
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_MPL2_ONLY
#define EIGEN_NO_IO
#include <Eigen/Core>

#include "cpu/threads.h"
#include "ops/linalg/batches.h"
#include "ops/linalg/columns.h"

namespace taper::kernel {

template <class T> using EigenMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T> using EigenVector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// Returns a copy of a float32 or float64 matrix.
template <class T> EigenMatrix<T> read(const Matrix& m) {
  EigenMatrix<T> copy(m.rows, m.cols);
  read_columns(m, copy.data());
  return copy;
}

/// Calls `f` with an object of the type in which matrices of `rows` rows and `cols` columns are
/// factored. Small float32 matrices are factored in double, where speed matters less than the loss
/// of digits of ill-conditioned ones.
template <class F> void with_scalar_type(DType dtype, std::int64_t rows, std::int64_t cols, F f) {
  constexpr std::int64_t kSmall = 64;
  if (dtype == DType::f64 || std::max(rows, cols) <= kSmall)
    f(double{});
  else
    f(float{});
}

}  // namespace taper::kernel
