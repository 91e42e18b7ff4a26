// LDL^T factorization of symmetric matrices, and solutions of linear systems by it.
#include "ops/linalg/ldl.h"

#include <cmath>

#include "cpu/threads.h"
#include "ops/linalg/infos.h"
#include "ops/promote.h"
#include "taper/ops/decomposition.h"

namespace taper {

void LdlFactorEx::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  i.set_output(i.shape(0), i.dtype(0));
  i.set_output(drop_last_dims(i.shape(0), 1), DType::i32);
  i.set_output(drop_last_dims(i.shape(0), 2), DType::i32);
}

void LdlSolve::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  check_matrices(i, 2, "B", false);
  if (is_floating_point(i.dtype(1)) || i.dtype(1) == DType::bool_)
    i.fail<DTypeError>("Expected pivots to be integers. Got {}", i.dtype(1));
  if (i.shape(1) != drop_last_dims(i.shape(0), 1))
    i.fail("Expected LD.shape[:-1] and pivots.shape to be the same, but got shapes {} and {}",
           i.shape(0), i.shape(1));
  if (i.dtype(0) != i.dtype(2))
    i.fail<DTypeError>(
        "Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
        legacy_name(i.dtype(0)), legacy_name(i.dtype(2)));
  if (drop_last_dims(i.shape(0), 1) != drop_last_dims(i.shape(2), 1))
    i.fail("Incompatible shapes of A and B for the equation AX = B ({} and {})", i.shape(0),
           i.shape(2));
  i.set_output(i.shape(2), i.dtype(2));
}

void LdlSolve::backward(BackwardContext<LdlSolve>& b) const {
  if (b.needs_input_grad(0))
    fail<NotImplementedError>(
        "linalg.ldl_solve: the derivative with respect to LD is not implemented");
  if (b.needs_input_grad(2))
    b[2] = linalg::ldl_solve(b.input<0>(), b.input<1>(), b.grad(), hermitian);
}

namespace {

using kernel::Dense;

/// Pivot of a step: a block of `size` rows, of which the last is exchanged with row `row`.
struct Pivot {
  std::int64_t row, size = 1;
  bool zero = false;
};

/// Selects the pivot of the trailing matrix from row k on by Bunch and Kaufman's rules, which bound
/// the growth of the elements.
Pivot select_pivot(const Dense& a, std::int64_t k) {
  const double alpha = (1 + std::sqrt(17.0)) / 8, diagonal = std::abs(a(k, k));
  std::int64_t largest = k;
  double below = 0;
  for (std::int64_t i = k + 1; i < a.rows; ++i)
    if (std::abs(a(i, k)) > below) below = std::abs(a(i, k)), largest = i;
  if (!(diagonal < alpha * below)) return {k, 1, diagonal == 0};  // also if it is NaN
  double row = 0;
  for (std::int64_t j = k; j < largest; ++j) row = std::max(row, std::abs(a(largest, j)));
  for (std::int64_t i = largest + 1; i < a.rows; ++i) row = std::max(row, std::abs(a(i, largest)));
  if (diagonal >= alpha * below * (below / row)) return {k};
  return {largest, std::abs(a(largest, largest)) >= alpha * row ? 1 : 2};
}

/// Exchanges rows and columns p < q of the symmetric trailing matrix, of which the lower triangle
/// from column p on is stored.
void exchange(Dense& a, std::int64_t p, std::int64_t q) {
  for (std::int64_t i = q + 1; i < a.rows; ++i) std::swap(a(i, p), a(i, q));
  for (std::int64_t i = p + 1; i < q; ++i) std::swap(a(i, p), a(q, i));
  std::swap(a(p, p), a(q, q));
}

/// Subtracts the products of the pivot columns from the rows below, and divides the columns by the
/// pivot.
void eliminate(Dense& a, std::int64_t k, std::int64_t size) {
  const std::int64_t begin = k + size, n = a.rows;
  std::vector<double> x, y;
  for (std::int64_t i = begin; i < n; ++i)
    x.push_back(a(i, k)), y.push_back(size == 2 ? a(i, k + 1) : 0);
  const double d11 = a(k, k), d21 = size == 2 ? a(k + 1, k) : 1;
  const double d22 = size == 2 ? a(k + 1, k + 1) : 1;
  // Scaled by the element off the diagonal, as in LAPACK, against overflow of the determinant.
  const double s11 = d22 / d21, s22 = d11 / d21, scale = 1 / (s11 * s22 - 1) / d21;
  for (std::int64_t i = begin; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i - begin);
    double* row = a.row(i) + begin;
    if (size == 1) {
      const double l = x[at] / d11;
      for (std::size_t j = 0; j <= at; ++j) row[j] -= l * x[j];
      a(i, k) = l;
    } else {
      const double l = scale * (s11 * x[at] - y[at]), m = scale * (s22 * y[at] - x[at]);
      for (std::size_t j = 0; j <= at; ++j) row[j] -= l * x[j] + m * y[j];
      a(i, k) = l, a(i, k + 1) = m;
    }
  }
}

/// Factors `a` in place. Returns the 1-based position of the first pivot that is 0; 0 if there is
/// none.
int factor_ldl(Dense& a, Dense& pivots) {
  int singular = 0;
  for (std::int64_t k = 0; k < a.rows;) {
    const Pivot pivot = select_pivot(a, k);
    const std::int64_t last = k + pivot.size - 1;
    if (pivot.zero) {
      if (!singular) singular = static_cast<int>(k) + 1;
    } else {
      if (pivot.row != last) {
        exchange(a, last, pivot.row);
        if (pivot.size == 2) std::swap(a(k + 1, k), a(pivot.row, k));
      }
      eliminate(a, k, pivot.size);
    }
    const auto row = static_cast<double>(pivot.row + 1);
    for (std::int64_t i = k; i <= last; ++i) pivots(i, 0) = pivot.size == 2 ? -row : row;
    k += pivot.size;
  }
  for (std::int64_t i = 0; i < a.rows; ++i) std::fill(a.row(i) + i + 1, a.row(i) + a.cols, 0.0);
  return singular;
}

/// Computes row `to` of x -= factor * row `from`.
void subtract_row(Dense& x, std::int64_t to, double factor, std::int64_t from) {
  for (std::int64_t j = 0; j < x.cols; ++j) x(to, j) -= factor * x(from, j);
}
void swap_rows(Dense& x, std::int64_t a, std::int64_t b) {
  if (a != b) std::swap_ranges(x.row(a), x.row(a) + x.cols, x.row(b));
}

/// Divides rows k and k + 1 of x by a block of D of two rows.
void divide_by_block(const Dense& a, Dense& x, std::int64_t k) {
  const double off = a(k + 1, k), first = a(k, k) / off, second = a(k + 1, k + 1) / off;
  const double scale = first * second - 1;
  for (std::int64_t j = 0; j < x.cols; ++j) {
    const double p = x(k, j) / off, q = x(k + 1, j) / off;
    x(k, j) = (second * p - q) / scale;
    x(k + 1, j) = (first * q - p) / scale;
  }
}

void solve_ldl(const Dense& a, const std::vector<std::int64_t>& pivots, Dense& x) {
  const std::int64_t n = a.rows;
  const auto size_at = [&](std::int64_t k) {
    return pivots[static_cast<std::size_t>(k)] < 0 ? 2 : 1;
  };
  const auto row_at = [&](std::int64_t k) {
    return std::abs(pivots[static_cast<std::size_t>(k)]) - 1;
  };
  std::int64_t k = 0;
  for (std::int64_t size = 0; k < n; k += size) {
    size = size_at(k);
    swap_rows(x, k + size - 1, row_at(k));
    for (std::int64_t i = k + size; i < n; ++i)
      for (std::int64_t c = k; c < k + size; ++c) subtract_row(x, i, a(i, c), c);
    if (size == 2) {
      divide_by_block(a, x, k);
    } else {
      for (std::int64_t j = 0; j < x.cols; ++j) x(k, j) /= a(k, k);
    }
  }
  while (k > 0) {
    const std::int64_t size = size_at(k - 1);
    k -= size;
    for (std::int64_t c = k; c < k + size; ++c)
      for (std::int64_t i = k + size; i < n; ++i) subtract_row(x, c, a(i, c), i);
    swap_rows(x, k + size - 1, row_at(k));
  }
}

/// Returns the pivots of a matrix. Throws unless they are rows and blocks of two rows have equal
/// pivots.
std::vector<std::int64_t> checked_pivots(const kernel::Matrix& m) {
  const Dense values(m);
  const std::int64_t n = m.rows;
  std::vector<std::int64_t> pivots;
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = values(i, 0);
    if (p == 0 || std::abs(p) > static_cast<double>(n))
      fail<ValueError>("linalg.ldl_solve: pivots must be in [-{0}, -1] or [1, {0}]: got {1}", n, p);
    pivots.push_back(static_cast<std::int64_t>(p));
  }
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    if (pivots[i] > 0) continue;
    if (i + 1 == pivots.size() || pivots[i + 1] != pivots[i])
      fail<ValueError>(
          "linalg.ldl_solve: a negative pivot must occur twice in succession: got {} at index {}",
          pivots[i], i);
    ++i;
  }
  return pivots;
}

/// Calls f(i) for `count` matrices of `n` rows, in parallel if there is enough work.
template <class F> void for_each_of(std::size_t count, std::int64_t n, F f) {
  constexpr std::int64_t kWorkPerThread = 30000;
  const std::int64_t grain = std::max<std::int64_t>(1, kWorkPerThread / (10 + n * n * n));
  cpu::parallel_for(0, static_cast<std::int64_t>(count), grain,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (; begin < end; ++begin) f(static_cast<std::size_t>(begin));
                    });
}

}  // namespace

template <> void reference_kernel(const LdlFactorEx&, const KernelArgs& k) {
  const auto from = kernel::all_matrices(k.in[0]), to = kernel::all_matrices(k.out[0]),
             pivots = kernel::all_columns(k.out[1]), infos = kernel::all_elements(k.out[2]);
  if (from.empty()) return;
  for_each_of(from.size(), from[0].rows, [&](std::size_t i) {
    Dense a(from[i]), rows(a.rows, 1), info(1, 1);
    info(0, 0) = factor_ldl(a, rows);
    a.write_to(to[i]);
    rows.write_to(pivots[i]);
    info.write_to(infos[i]);
  });
}

template <> void reference_kernel(const LdlSolve&, const KernelArgs& k) {
  const auto factors = kernel::all_matrices(k.in[0]), columns = kernel::all_columns(k.in[1]),
             bs = kernel::all_matrices(k.in[2]), to = kernel::all_matrices(k.out[0]);
  std::vector<std::vector<std::int64_t>> pivots;
  for (const kernel::Matrix& m : columns) pivots.push_back(checked_pivots(m));
  if (factors.empty()) return;
  for_each_of(factors.size(), factors[0].rows, [&](std::size_t i) {
    Dense x(bs[i]);
    solve_ldl(Dense(factors[i]), pivots[i], x);
    x.write_to(to[i]);
  });
}

TAPER_DEFINE_OP(linalg_ldl_factor_ex, LdlFactorEx);
TAPER_DEFINE_OP(linalg_ldl_solve, LdlSolve);

namespace linalg {

std::tuple<Tensor, Tensor, Tensor> ldl_factor_ex(const Tensor& a, bool hermitian,
                                                 bool check_errors) {
  auto [ld, pivots, info] = run_all(LdlFactorEx{hermitian}, a);
  if (check_errors)
    check_infos(info, "linalg.ldl_factor", [](std::int64_t at) {
      return format_message(
          "D[{0},{0}] is zero and using it in ldl_solve would result in a division by zero. If you "
          "still want to perform the factorization, consider calling linalg.ldl_factor_ex(A)",
          at);
    });
  return {ld, pivots, info};
}
std::pair<Tensor, Tensor> ldl_factor(const Tensor& a, bool hermitian) {
  auto [ld, pivots, info] = ldl_factor_ex(a, hermitian, true);
  return {ld, pivots};
}

Tensor ldl_solve(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian) {
  // Other shapes are rejected by the op.
  if (ld.dim() < 2 || b.dim() < 2 || pivots.shape() != drop_last_dims(ld.shape(), 1))
    return run(LdlSolve{hermitian}, ld, pivots, b);
  Shape batch = drop_last_dims(ld.shape(), 2);
  broadcast_into(batch, drop_last_dims(b.shape(), 2), "linalg.ldl_solve");
  return run(LdlSolve{hermitian}, expand_batch(ld, batch, 2), expand_batch(pivots, batch, 1),
             expand_batch(b, batch, 2));
}

}  // namespace linalg

}  // namespace taper
