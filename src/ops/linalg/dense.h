// Small matrices in double, for algorithms whose clarity matters more than speed.
#pragma once
#include <vector>

#include "ops/linalg/matrix.h"

namespace taper::kernel {

/// Row-major matrix of doubles that owns its elements.
class Dense {
 public:
  Dense(std::int64_t rows, std::int64_t cols)
      : rows(rows), cols(cols), elements_(static_cast<std::size_t>(rows * cols)) {}
  explicit Dense(const Matrix& m);
  static Dense identity(std::int64_t n);
  double& operator()(std::int64_t i, std::int64_t j) { return row(i)[j]; }
  double operator()(std::int64_t i, std::int64_t j) const { return row(i)[j]; }
  double* row(std::int64_t i) { return elements_.data() + i * cols; }
  const double* row(std::int64_t i) const { return elements_.data() + i * cols; }
  void write_to(const Matrix& m) const;
  Matrix view() const;

  std::int64_t rows, cols;

 private:
  std::vector<double> elements_;
};
/// Returns the matrix product of `a` and `b`.
Dense product(const Dense& a, const Dense& b);

/// Returns all matrices in the last two dimensions of a view, or all vectors in the last dimension
/// as columns, in row-major order of the leading dimensions.
std::vector<Matrix> all_matrices(const View& v);
std::vector<Matrix> all_columns(const View& v);
/// Returns all elements of a view as matrices of one element, in row-major order.
std::vector<Matrix> all_elements(const View& v);

}  // namespace taper::kernel

namespace taper {

/// Returns `shape` without its last `dropped` dimensions.
Shape drop_last_dims(Shape shape, std::size_t dropped);
/// Expands all dimensions of `t` but the last `inner` to `batch`.
Tensor expand_batch(const Tensor& t, const Shape& batch, std::size_t inner);
/// Expands the leading dimensions of matrices `a` and `b` to their common shape. Returns tensors of
/// fewer than two dimensions unchanged, for the op to reject.
std::pair<Tensor, Tensor> broadcast_batches(const Tensor& a, const Tensor& b, std::string_view op);
/// Throws ShapeError unless input number `input` has shape (..., M, N), with M = N if `square` is
/// true.
void check_matrices(const ShapeInference& i, int input, const char* name, bool square);
/// As check_matrices, for the argument A of a function.
void check_matrix(const Tensor& a, std::string_view op, bool square = false);
/// Throws PyTorch's error of linear algebra functions for the unsupported dtype `i.common`.
void matrix_dtype_error(const ShapeInference& i);

}  // namespace taper
