// Copies between matrices within views and column-major memory.
#pragma once
#include <algorithm>
#include <vector>

#include "ops/linalg/matrix.h"
#include "taper/core/dtype.h"

namespace taper::kernel {

/// Calls f(i, j) for the elements of a matrix in square blocks, so that both of two matrices with
/// different orders stay in the cache.
template <class F> void for_each_element_blocked(std::int64_t rows, std::int64_t cols, F&& f) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t jb = 0; jb < cols; jb += kBlock)
    for (std::int64_t ib = 0; ib < rows; ib += kBlock)
      for (std::int64_t j = jb; j < std::min(cols, jb + kBlock); ++j)
        for (std::int64_t i = ib; i < std::min(rows, ib + kBlock); ++i) f(i, j);
}

template <class S, class T> void read_elements(const Matrix& m, T* to) {
  const S* const from = reinterpret_cast<const S*>(m.data);
  const std::int64_t row = m.row_stride, col = m.col_stride, ld = m.rows;
  for_each_element_blocked(m.rows, m.cols, [=](std::int64_t i, std::int64_t j) {
    to[i + j * ld] = static_cast<T>(from[i * row + j * col]);
  });
}
/// Copies a float32 or float64 matrix to column-major memory.
template <class T> void read_columns(const Matrix& m, T* to) {
  m.dtype == DType::f64 ? read_elements<double>(m, to) : read_elements<float>(m, to);
}

template <class S, class From> void write_elements(const From& from, const Matrix& m) {
  S* const to = reinterpret_cast<S*>(m.data);
  const std::int64_t row = m.row_stride, col = m.col_stride;
  for_each_element_blocked(m.rows, m.cols, [&](std::int64_t i, std::int64_t j) {
    to[i * row + j * col] = static_cast<S>(from(i, j));
  });
}
/// Writes from(i, j) to each element of a float32, float64 or int32 matrix.
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

}  // namespace taper::kernel
