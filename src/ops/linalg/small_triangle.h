// Small triangular systems of column-major matrices.
#pragma once
#include <cstdint>

namespace taper::kernel {

enum class Triangle : std::uint8_t { unit_lower, upper };

/// A block of a column-major matrix.
template <class T> struct Block {
  T* data;
  std::int64_t rows, columns, stride;

  T* column(std::int64_t j) const { return data + j * stride; }
  Block part(std::int64_t row, std::int64_t num_rows, std::int64_t column,
             std::int64_t num_columns) const {
    return {data + column * stride + row, num_rows, num_columns, stride};
  }
};

inline constexpr std::int64_t kSmallTriangle = 16;  ///< maximum number of rows of a small triangle

/// Solves A X = B in place, where B has the columns of `x` and A is a triangle of `a`, for at most
/// kSmallTriangle rows.
void solve_small_triangle(Triangle triangle, Block<float> a, Block<float> x);
void solve_small_triangle(Triangle triangle, Block<double> a, Block<double> x);

}  // namespace taper::kernel
