// Matrices of views as Eigen's matrices, and loops over batches. Included by few kernel sources,
// because templates of Eigen compile slowly.
#pragma once
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_MPL2_ONLY
#define EIGEN_NO_IO
#include <Eigen/Core>
#include <algorithm>

#include "cpu/threads.h"
#include "ops/linalg/dense.h"

namespace taper::kernel {

template <class T> using EigenMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T> using EigenVector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class S, class T> void read_elements(const Matrix& m, EigenMatrix<T>& to) {
  const S* from = reinterpret_cast<const S*>(m.data);
  for (std::int64_t j = 0; j < m.cols; ++j)
    for (std::int64_t i = 0; i < m.rows; ++i)
      to(i, j) = static_cast<T>(from[i * m.row_stride + j * m.col_stride]);
}
template <class S, class From> void write_elements(const From& from, const Matrix& m) {
  S* to = reinterpret_cast<S*>(m.data);
  for (std::int64_t j = 0; j < m.cols; ++j)
    for (std::int64_t i = 0; i < m.rows; ++i)
      to[i * m.row_stride + j * m.col_stride] = static_cast<S>(from(i, j));
}

/// Returns a copy of a float32 or float64 matrix.
template <class T> EigenMatrix<T> read(const Matrix& m) {
  EigenMatrix<T> copy(m.rows, m.cols);
  m.dtype == DType::f64 ? read_elements<double>(m, copy) : read_elements<float>(m, copy);
  return copy;
}
/// Writes the elements of an expression or vector to a float32, float64 or int32 matrix.
template <class From> void write(const From& from, const Matrix& m) {
  if (m.dtype == DType::f64)
    write_elements<double>(from, m);
  else if (m.dtype == DType::f32)
    write_elements<float>(from, m);
  else
    write_elements<std::int32_t>(from, m);
}
/// Writes the only element of a matrix of one element.
template <class T> void write_scalar(T value, const Matrix& m) {
  write([value](std::int64_t, std::int64_t) { return value; }, m);
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

/// Calls f(i) for the matrices of a batch, in parallel if their factorizations are expensive
/// enough.
template <class F> void for_each_matrix(std::size_t count, const Matrix& like, F f) {
  constexpr double kWorkPerThread = 30000;
  const double work = 10 + static_cast<double>(like.rows) * static_cast<double>(like.cols) *
                               static_cast<double>(std::min(like.rows, like.cols));
  const auto grain = static_cast<std::int64_t>(std::max(1.0, kWorkPerThread / work));
  cpu::parallel_for(0, static_cast<std::int64_t>(count), grain,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (; begin < end; ++begin) f(static_cast<std::size_t>(begin));
                    });
}

/// Returns the name of batch element i in messages: "(Batch element 2): "; empty for one matrix.
inline std::string batch_element_text(const View& input, std::size_t i) {
  return input.shape->size() > 2 ? format_message("(Batch element {}): ", i) : std::string();
}

}  // namespace taper::kernel
