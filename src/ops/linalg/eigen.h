// Matrices of views as Eigen's matrices, and loops over batches. Included by few kernel sources,
// because templates of Eigen compile slowly. Must precede Eigen's headers.
#pragma once
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_MPL2_ONLY
#define EIGEN_NO_IO
// A name of our own: the linker would otherwise merge these functions with those of a program that
// uses Eigen itself, perhaps with vectors of another size, which a static library has no means to
// hide.
#define Eigen taper_eigen
#include <Eigen/Core>

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

}  // namespace taper::kernel
