#include "ops/linalg/solve.h"

#include <algorithm>
#include <cmath>

#include "ops/linalg/dense.h"
#include "ops/linalg/infos.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"
#include "taper/ops/decomposition.h"

namespace taper {

void Solve::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  check_matrices(i, 1, "B", false);
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>(
        "Expected A and B to have the same dtype, but found A of type {} and B of type {} "
        "instead",
        legacy_name(i.dtype(0)), legacy_name(i.dtype(1)));
  if (drop_last_dims(i.shape(0), 1) != drop_last_dims(i.shape(1), 1))
    i.fail("Incompatible shapes of A and B for the equation AX = B ({} and {})", i.shape(0),
           i.shape(1));
  i.set_output(i.shape(1), i.dtype(1));
  i.set_output(drop_last_dims(i.shape(0), 2), DType::i32);
}

void Solve::backward(BackwardContext<Solve>& b) const {
  const Tensor g = linalg::solve(b.input<0>().mT(), b.grad());
  if (b.needs_input_grad(0)) b[0] = -g.matmul(b.output<0>().mT());
  if (b.needs_input_grad(1)) b[1] = g;
}

namespace {

using kernel::Dense;

/// Computes to -= factor * from for contiguous rows.
void subtract_scaled_row(double* to, double factor, const double* from, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) to[j] -= factor * from[j];
}

/// Solves a y = x by Gaussian elimination with partial pivoting and stores y in `x`; overwrites
/// `a`. Returns the 1-based position of the first zero pivot, whose equations are divided by it, or
/// 0 if `a` is not singular.
int solve_in_place(Dense& a, Dense& x) {
  const std::int64_t n = a.rows;
  int singular = 0;
  for (std::int64_t c = 0; c < n; ++c) {
    std::int64_t pivot = c;
    for (std::int64_t r = c + 1; r < n; ++r)
      if (std::abs(a(r, c)) > std::abs(a(pivot, c))) pivot = r;
    if (a(pivot, c) == 0 && !singular) singular = static_cast<int>(c) + 1;
    if (pivot != c) {
      std::swap_ranges(a.row(c), a.row(c) + n, a.row(pivot));
      std::swap_ranges(x.row(c), x.row(c) + x.cols, x.row(pivot));
    }
    for (std::int64_t r = c + 1; r < n; ++r) {
      const double factor = a(r, c) / a(c, c);
      if (factor == 0) continue;
      subtract_scaled_row(a.row(r) + c + 1, factor, a.row(c) + c + 1, n - c - 1);
      subtract_scaled_row(x.row(r), factor, x.row(c), x.cols);
    }
  }
  for (std::int64_t r = n; r-- > 0;) {
    for (std::int64_t c = r + 1; c < n; ++c)
      subtract_scaled_row(x.row(r), a(r, c), x.row(c), x.cols);
    for (std::int64_t j = 0; j < x.cols; ++j) x(r, j) /= a(r, r);
  }
  return singular;
}

}  // namespace

template <> void reference_kernel(const Solve&, const KernelArgs& k) {
  const auto as = kernel::all_matrices(k.in[0]), bs = kernel::all_matrices(k.in[1]),
             to = kernel::all_matrices(k.out[0]), infos = kernel::all_elements(k.out[1]);
  for (std::size_t i = 0; i < as.size(); ++i) {
    Dense a(as[i]), x(bs[i]), info(1, 1);
    info(0, 0) = solve_in_place(a, x);
    x.write_to(to[i]);
    info.write_to(infos[i]);
  }
}

TAPER_DEFINE_OP(linalg_solve, Solve);

bool has_vectors(const Tensor& a, const Tensor& b) {
  return b.dim() == 1 || b.shape() == drop_last_dims(a.shape(), 1);
}

std::pair<Tensor, Tensor> solve_matrices(const Tensor& a, const Tensor& b) {
  const auto [x, y] = broadcast_batches(a, b, Solve::op.function());
  auto [solution, info] = run_all(Solve{}, x, y);
  return {solution, info};
}

std::pair<Tensor, Tensor> linalg::solve_ex(const Tensor& a, const Tensor& b, bool left,
                                           bool check_errors) {
  if (a.dim() < 2 || b.dim() == 0) {
    auto outputs = run_all(Solve{}, a, b);  // throws
    return {outputs[0], outputs[1]};
  }
  const bool vectors = has_vectors(a, b);
  if (vectors && !left)
    fail<ShapeError>(
        "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. "
        "In this case linalg.solve is equivalent to B / A.squeeze(-1)");
  const Tensor columns = vectors ? b.unsqueeze(-1) : left ? b : b.mT();
  auto [x, info] = solve_matrices(left ? a : a.mT(), columns);
  if (check_errors)
    check_infos(info, "linalg.solve", [](std::int64_t) {
      return std::string("The solver failed because the input matrix is singular.");
    });
  return {vectors ? x.squeeze({-1}) : left ? x : x.mT(), info};
}

Tensor linalg::solve(const Tensor& a, const Tensor& b, bool left) {
  return solve_ex(a, b, left, true).first;
}

Tensor linalg::solve(const Tensor& a, const Tensor& b) { return solve_ex(a, b, true, true).first; }

}  // namespace taper
