// householder_product and QR decompositions.
#include "ops/linalg/householder.h"

#include <algorithm>
#include <cmath>

#include "ops/linalg/dense.h"
#include "ops/linalg/large_matrices.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/indexing.h"

namespace taper {

void Geqrf::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", false);
  const Shape& a = i.shape(0);
  Shape tau = drop_last_dims(a, 2);
  tau.push_back(std::min(a[a.size() - 2], a.back()));
  i.set_output(a, i.dtype(0));
  i.set_output(tau, i.dtype(0));
}

void HouseholderProduct::infer(ShapeInference& i) const {
  check_matrices(i, 0, "input", false);
  const Shape &a = i.shape(0), &tau = i.shape(1);
  const std::int64_t m = a[a.size() - 2], n = a.back();
  if (m < n)
    i.fail("input.shape[-2] must be greater than or equal to input.shape[-1]: got shape {}", a);
  if (tau.size() + 1 != a.size())
    i.fail(
        "Expected tau to have one dimension less than input, but got tau.ndim equal to {} and "
        "input.ndim is equal to {}",
        tau.size(), a.size());
  if (tau.back() > n)
    i.fail("input.shape[-1] must be greater than or equal to tau.shape[-1]: got shapes {} and {}",
           a, tau);
  for (std::size_t d = 0; d + 1 < tau.size(); ++d)
    if (tau[d] != a[d])
      i.fail("Expected batch dimensions of tau to be equal to input.shape[:-2], but got {} and {}",
             tau, a);
  if (i.dtype(1) != i.dtype(0))
    i.fail<DTypeError>("tau dtype {} does not match input dtype {}", i.dtype(1), i.dtype(0));
  i.set_output(a, i.dtype(0));
}

// With V, whose columns are the vectors of the reflectors, and D = diag(tau), the product of all
// reflectors is I - V T V^T, where T = (I + D S)^-1 D and S is the strict upper triangle of V^T V.
// This also holds for tau = 0.
void HouseholderProduct::backward(BackwardContext<HouseholderProduct>& b) const {
  const Tensor &a = b.input<0>(), &tau = b.input<1>(), &g = b.grad();
  const std::int64_t m = a.size(-2), n = a.size(-1), k = tau.size(-1);
  const TensorOptions like{.dtype = a.dtype(), .device = a.device()};
  const Tensor v = a.narrow(-1, 0, k).tril(-1) + eye(m, k, like), top = v.narrow(-2, 0, n);
  const Tensor s = v.mT().matmul(v).triu(1), one = eye(k, k, like);
  const Tensor inner = one + tau.unsqueeze(-1) * s;
  const Tensor t = linalg::solve(inner, one * tau.unsqueeze(-1));
  const Tensor gt = -v.mT().matmul(g).matmul(top);
  if (b.needs_input_grad(0)) {
    const Tensor gs = -t.mT().matmul(gt).matmul(t.mT()).triu(1);
    Tensor gv = -g.matmul(top).matmul(t.mT()) + v.matmul(gs + gs.mT());
    const Tensor gtop = -g.mT().matmul(v).matmul(t);
    gv = (cat({gv.narrow(-2, 0, n) + gtop, gv.narrow(-2, n, m - n)}, -2)).tril(-1);
    b[0] = k == n ? gv : cat({gv, zeros_like(a.narrow(-1, k, n - k))}, -1);
  }
  if (b.needs_input_grad(1))
    b[1] = linalg::solve(inner.mT(), gt.matmul((one - s.matmul(t)).mT())).diagonal(0, -2, -1);
}

namespace {

using kernel::Dense;

/// Computes a := (I - tau v v^T) a for the columns from `begin` on. v is 1 in row `at` and equals
/// column `at` of `from` below it. Proceeds row by row because rows are contiguous.
void apply_reflector(Dense& a, std::int64_t begin, const Dense& from, std::int64_t at, double tau) {
  if (tau == 0) return;
  const std::int64_t n = a.cols - begin;
  std::vector<double> sums(static_cast<std::size_t>(n));
  double* const sum = sums.data();
  std::copy_n(a.row(at) + begin, n, sum);
  for (std::int64_t i = at + 1; i < a.rows; ++i) {
    const double v = from(i, at), *row = a.row(i) + begin;
    for (std::int64_t j = 0; j < n; ++j) sum[j] += v * row[j];
  }
  for (std::int64_t i = at; i < a.rows; ++i) {
    const double v = tau * (i == at ? 1 : from(i, at));
    double* row = a.row(i) + begin;
    for (std::int64_t j = 0; j < n; ++j) row[j] -= v * sum[j];
  }
}

/// Computes the reflector that maps the part of column c from the diagonal on to (beta, 0, ...), as
/// LAPACK's dlarfg. Stores beta on the diagonal and v below it, and returns tau. The sign of beta
/// is opposite to that of the diagonal element. If the column is zero below the diagonal, does not
/// change it and returns 0.
double make_reflector(Dense& a, std::int64_t c) {
  double below = 0;
  for (std::int64_t i = c + 1; i < a.rows; ++i) below = std::hypot(below, a(i, c));
  if (below == 0) return 0;
  const double alpha = a(c, c), beta = -std::copysign(std::hypot(alpha, below), alpha);
  for (std::int64_t i = c + 1; i < a.rows; ++i) a(i, c) /= alpha - beta;
  a(c, c) = beta;
  return (beta - alpha) / beta;
}

}  // namespace

template <> void reference_kernel(const Geqrf&, const KernelArgs& k) {
  const auto from = kernel::all_matrices(k.in[0]), to = kernel::all_matrices(k.out[0]),
             taus = kernel::all_columns(k.out[1]);
  for (std::size_t at = 0; at < from.size(); ++at) {
    if (kernel::large::factor_qr(from[at], to[at], taus[at])) continue;
    Dense a(from[at]), tau(taus[at].rows, 1);
    for (std::int64_t c = 0; c < tau.rows; ++c) {
      tau(c, 0) = make_reflector(a, c);
      apply_reflector(a, c + 1, a, c, tau(c, 0));
    }
    a.write_to(to[at]);
    tau.write_to(taus[at]);
  }
}

template <> void reference_kernel(const HouseholderProduct&, const KernelArgs& k) {
  const auto from = kernel::all_matrices(k.in[0]), taus = kernel::all_columns(k.in[1]),
             to = kernel::all_matrices(k.out[0]);
  for (std::size_t at = 0; at < from.size(); ++at) {
    if (kernel::large::form_q(from[at], taus[at], to[at])) continue;
    const Dense a(from[at]), tau(taus[at]);
    Dense q(a.rows, a.cols);
    for (std::int64_t i = 0; i < a.cols; ++i) q(i, i) = 1;
    for (std::int64_t c = tau.rows; c-- > 0;) apply_reflector(q, 0, a, c, tau(c, 0));
    q.write_to(to[at]);
  }
}

TAPER_DEFINE_OP(geqrf, Geqrf);
TAPER_DEFINE_OP(linalg_householder_product, HouseholderProduct);

std::pair<Tensor, Tensor> geqrf(const Tensor& x) { return run_pair(Geqrf{}, x); }
Tensor linalg::householder_product(const Tensor& input, const Tensor& tau) {
  return run(HouseholderProduct{}, input, tau);
}

}  // namespace taper
