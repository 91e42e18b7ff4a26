// Triangular systems and LU factorization of column-major matrices, by products of halves.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "cpu/gemm/gemm.h"
#include "ops/linalg/small_triangle.h"

namespace taper::kernel {

/// Subtracts A B from C.
template <class T> void subtract_product(Block<T> c, Block<T> a, Block<T> b) {
  const auto negative =
      std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(b.rows * b.columns));
  for (std::int64_t j = 0; j < b.columns; ++j)
    std::transform(b.column(j), b.column(j) + b.rows, negative.get() + j * b.rows,
                   std::negate<T>());
  // The transposed matrices are row-major.
  cpu::gemm(cpu::Gemm<T>{.m = c.columns,
                         .n = c.rows,
                         .k = b.rows,
                         .a = negative.get(),
                         .a_row = b.rows,
                         .b = a.data,
                         .b_row = a.stride,
                         .c = c.data,
                         .c_row = c.stride,
                         .accumulate = true});
}

/// Solves A X = B in place, where B has the columns of `x`. A is a triangle of `a`.
template <class T> void solve_triangle(Triangle triangle, Block<T> a, Block<T> x) {
  constexpr std::int64_t kSmall = kSmallTriangle;
  const std::int64_t size = x.rows;
  if (size <= kSmall) return solve_small_triangle(triangle, a, x);
  const std::int64_t half = (size / 2 + kSmall - 1) / kSmall * kSmall, rest = size - half;
  const Block<T> top = x.part(0, half, 0, x.columns), bottom = x.part(half, rest, 0, x.columns);
  if (triangle == Triangle::unit_lower) {
    solve_triangle(triangle, a.part(0, half, 0, half), top);
    subtract_product(bottom, a.part(half, rest, 0, half), top);
    solve_triangle(triangle, a.part(half, rest, half, rest), bottom);
  } else {
    solve_triangle(triangle, a.part(half, rest, half, rest), bottom);
    subtract_product(top, a.part(0, half, half, rest), bottom);
    solve_triangle(triangle, a.part(0, half, 0, half), top);
  }
}

/// Exchanges row i with row pivots[i], for `count` rows in their order.
template <class T> void exchange_rows(Block<T> a, const int* pivots, std::int64_t count) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    T* const column = a.column(j);
    for (std::int64_t i = 0; i < count; ++i) std::swap(column[i], column[pivots[i]]);
  }
}

/// As factor_lu, one column after another.
template <class T> void factor_columns(Block<T> a, int* pivots, bool* is_zero) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    T* const column = a.column(j);
    std::int64_t pivot = j;
    for (std::int64_t i = j + 1; i < a.rows; ++i)
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    pivots[j] = static_cast<int>(pivot);
    for (std::int64_t c = 0; c < a.columns; ++c) std::swap(a.column(c)[j], a.column(c)[pivot]);
    is_zero[j] = column[j] == T(0);
    if (is_zero[j]) continue;
    for (std::int64_t i = j + 1; i < a.rows; ++i) column[i] /= column[j];
    for (std::int64_t c = j + 1; c < a.columns; ++c) {
      T* const to = a.column(c);
      const T factor = to[j];
      for (std::int64_t i = j + 1; i < a.rows; ++i) to[i] -= factor * column[i];
    }
  }
}

/// Factors P A = L U in place with partial pivoting, by halves of the columns (S. Toledo, Locality
/// of Reference in LU Decomposition with Partial Pivoting, 1997). A has at least as many rows as
/// columns. Row j was exchanged with row pivots[j]. A zero pivot does not end the factorization.
template <class T> void factor_lu(Block<T> a, int* pivots, bool* is_zero) {
  constexpr std::int64_t kSmall = 8;
  if (a.columns <= kSmall) return factor_columns(a, pivots, is_zero);
  const std::int64_t half = (a.columns / 2 + kSmall - 1) / kSmall * kSmall, rest = a.columns - half,
                     below = a.rows - half;
  const Block<T> left = a.part(0, a.rows, 0, half), right = a.part(0, a.rows, half, rest);
  factor_lu(left, pivots, is_zero);
  exchange_rows(right, pivots, half);
  const Block<T> top = right.part(0, half, 0, rest), bottom = right.part(half, below, 0, rest),
                 left_bottom = left.part(half, below, 0, half);
  solve_triangle(Triangle::unit_lower, left.part(0, half, 0, half), top);
  subtract_product(bottom, left_bottom, top);
  factor_lu(bottom, pivots + half, is_zero + half);
  exchange_rows(left_bottom, pivots + half, rest);
  for (std::int64_t j = half; j < a.columns; ++j) pivots[j] += static_cast<int>(half);
}

}  // namespace taper::kernel
