#include "ops/linalg/matrix_exp.h"

#include <cmath>

#include "ops/linalg/dense.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/indexing.h"

namespace taper {

void MatrixExp::infer(Infer& i) const {
  check_matrices(i, 0, "A", true);
  i.give(i.shape(0), i.dtype(0));
}

// exp of [[A^T, G], [0, A^T]] has in its upper right the derivative of exp at A^T along G.
void MatrixExp::backward(Backward& b) const {
  const Tensor a = b.in(0).mT(), &g = b.grad();
  const std::int64_t n = a.size(-1);
  const Tensor both = cat({cat({a, g}, -1), cat({zeros_like(a), a}, -1)}, -2);
  b[0] = both.matrix_exp().narrow(-2, 0, n).narrow(-1, n, n);
}

namespace {

using kernel::Dense;

double norm_1(const Dense& a) {
  double most = 0;
  for (std::int64_t j = 0; j < a.cols; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
    if (!(sum <= most)) most = sum;  // a NaN is kept
  }
  return most;
}

/// exp(A) = exp(A / 2^s)^(2^s), with the first 18 terms of the series: below this norm what is left
/// out is less than half of a rounding.
Dense exponential(Dense a) {
  constexpr double kNorm = 1.090863719290036;
  constexpr int kTerms = 18;
  const double norm = norm_1(a);
  const int halvings = norm > kNorm && std::isfinite(norm)
                           ? static_cast<int>(std::ceil(std::log2(norm / kNorm)))
                           : 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) a(i, j) = std::ldexp(a(i, j), -halvings);
  Dense sum = Dense::identity(a.rows);
  for (int term = kTerms; term > 0; --term) {  // I + A / 1 (I + A / 2 (I + ...
    sum = product(a, sum);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t j = 0; j < a.cols; ++j) sum(i, j) /= term;
      sum(i, i) += 1;
    }
  }
  for (int i = 0; i < halvings; ++i) sum = product(sum, sum);
  return sum;
}

}  // namespace

template <> void reference(const MatrixExp&, const KernelArgs& k) {
  const auto from = kernel::all_matrices(k.in[0]), to = kernel::all_matrices(k.out[0]);
  for (std::size_t i = 0; i < from.size(); ++i) exponential(Dense(from[i])).write_to(to[i]);
}

TAPER_DEFINE_OP(linalg_matrix_exp, MatrixExp);

Tensor matrix_exp(const Tensor& x) { return run(MatrixExp{}, x); }
Tensor ops::LinalgMethods::matrix_exp() const {
  return run(MatrixExp{}, *static_cast<const Tensor*>(this));
}

}  // namespace taper
