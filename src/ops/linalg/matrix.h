// Matrices inside of views, and their products: what the kernels of this family share.
#pragma once
#include "ops/op.h"

namespace taper::kernel {

/// Rows and columns somewhere in a view; strides in elements.
struct Matrix {
  std::byte* data = nullptr;
  std::int64_t rows = 0, cols = 0, row = 0, col = 0;
  DType dtype = DType::f32;

  Matrix transposed() const { return {data, cols, rows, col, row, dtype}; }
};

/// A stack of matrices: the last two dimensions of a view, and at most one in front of them.
struct Matrices {
  Matrix first;
  std::int64_t count = 1, step = 0;
  Storage* storage = nullptr;  ///< of a view that has one

  Matrix operator[](std::int64_t i) const;
  Matrices transposed() const { return {first.transposed(), count, step, storage}; }
};
/// Of a view of 2 or 3 dimensions.
Matrices matrices_of(const View& v);
/// The (N) of a view as (N, 1).
Matrices column_of(const View& v);

/// c = a * b, element by element, in double or int64.
void multiply_plainly(const Matrices& a, const Matrices& b, const Matrices& c);
/// The same with the backend's kernels; `bias` (N), contiguous, may be null. False: it has none for
/// this dtype. C must have contiguous rows.
bool multiply(const Matrices& a, const Matrices& b, const Matrices& c,
              const std::byte* bias = nullptr, bool accumulate = false);
double product_flops(const Matrices& a, const Matrices& c);

}  // namespace taper::kernel

namespace taper {

/// "2x3" of the last two dimensions.
std::string rows_by_cols(std::int64_t rows, std::int64_t cols);
/// Refuses matrices that cannot be multiplied, by sizes or dtypes, in PyTorch's words.
void check_product(const Infer& i, const Shape& a, DType a_dtype, const Shape& b, DType b_dtype);

}  // namespace taper
