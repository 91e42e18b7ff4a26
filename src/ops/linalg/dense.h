// Small matrices in double, for algorithms that a reader should be able to follow.
#pragma once
#include <vector>

#include "ops/linalg/matrix.h"

namespace taper::kernel {

/// A matrix of its own, row-major.
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
Dense product(const Dense& a, const Dense& b);

/// All matrices in the last two dimensions of a view, in the order of those in front; all vectors
/// in the last one, as columns.
std::vector<Matrix> all_matrices(const View& v);
std::vector<Matrix> all_columns(const View& v);

}  // namespace taper::kernel

namespace taper {

/// A shape without its last dimensions.
Shape front_of(Shape shape, std::size_t dropped);
/// Refuses what is no float matrix (..., M, N) of 32 or 64 bits; square ones if `square`.
void check_matrices(const Infer& i, int input, const char* name, bool square);

}  // namespace taper
