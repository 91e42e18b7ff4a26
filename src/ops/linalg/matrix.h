// Matrices within views and their products, shared by the kernels of this family.
#pragma once
#include "ops/op.h"

namespace taper::kernel {

/// Matrix within a view. `row_stride` and `col_stride` are the steps between rows and between
/// columns, in elements.
struct Matrix {
  std::byte* data = nullptr;
  std::int64_t rows = 0, cols = 0, row_stride = 0, col_stride = 0;
  DType dtype = DType::f32;

  Matrix transposed() const { return {data, cols, rows, col_stride, row_stride, dtype}; }
};

/// Batch of matrices: the last two dimensions of a view and at most one leading dimension. `step`
/// is the step between matrices, in elements.
struct Matrices {
  Matrix first;
  std::int64_t count = 1, step = 0;
  Storage* storage = nullptr;  ///< storage of the view, or null

  Matrix operator[](std::int64_t i) const;
  Matrices transposed() const { return {first.transposed(), count, step, storage}; }
};
/// Returns the matrices of a view of 2 or 3 dimensions.
Matrices matrices_of(const View& v);
/// Returns a view of shape (N) as a matrix (N, 1).
Matrices column_of(const View& v);

/// Computes c = a * b with the reference loop, in double or int64.
void multiply_reference(const Matrices& a, const Matrices& b, const Matrices& c);
/// Computes c = a * b + bias with the kernels of the CPU. `bias` (N) is contiguous and may be null;
/// with `accumulate`, the result is added to c. The rows of c must be contiguous. c has the dtype
/// of a and b, or is f32 if theirs is a 16-bit float. Returns false if the dtype is not supported.
bool multiply(const Matrices& a, const Matrices& b, const Matrices& c,
              const std::byte* bias = nullptr, bool accumulate = false);
/// Returns the number of floating-point operations of the products c = a * b.
double product_flops(const Matrices& a, const Matrices& c);

}  // namespace taper::kernel

namespace taper {

/// Returns the size of a matrix as text: "2x3".
std::string rows_by_cols(std::int64_t rows, std::int64_t cols);
/// Throws ShapeError or DTypeError, with PyTorch's messages, unless the inner sizes and the dtypes
/// of the matrices match.
void check_product(const ShapeInference& i, const Shape& a, DType a_dtype, const Shape& b,
                   DType b_dtype);

}  // namespace taper
