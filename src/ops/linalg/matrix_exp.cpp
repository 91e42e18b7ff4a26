#include "ops/linalg/matrix_exp.h"

#include <cmath>

#include "ops/forms.h"
#include "ops/linalg/dense.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/indexing.h"

namespace taper {

void MatrixExp::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  i.set_output(i.shape(0), i.dtype(0));
}

// The upper right block of exp([[A^T, G], [0, A^T]]) is the derivative of exp at A^T along G.
void MatrixExp::backward(BackwardContext<MatrixExp>& b) const {
  const Tensor a = b.input<0>().mT(), &g = b.grad();
  const std::int64_t n = a.size(-1);
  const Tensor block_matrix = cat({cat({a, g}, -1), cat({zeros_like(a), a}, -1)}, -2);
  b[0] = block_matrix.matrix_exp().narrow(-2, 0, n).narrow(-1, n, n);
}

namespace {

using kernel::Dense;

double norm_1(const Dense& a) {
  double max = 0;
  for (std::int64_t j = 0; j < a.cols; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
    if (!(sum <= max)) max = sum;  // propagates NaN
  }
  return max;
}

constexpr int kTerms = 18;

/// Evaluates the truncated series with Horner's scheme: I + A / 1 (I + A / 2 (I + ...
Dense evaluate_series(const Dense& a) {
  Dense sum = Dense::identity(a.rows);
  for (int term = kTerms; term > 0; --term) {
    sum = product(a, sum);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t j = 0; j < a.cols; ++j) sum(i, j) /= term;
      sum(i, i) += 1;
    }
  }
  return sum;
}

/// Scaling and squaring: exp(A) = exp(A / 2^s)^(2^s). Below kNorm, the truncation error of the
/// series is less than half a unit of rounding.
template <class Series, class Product>
Dense compute_exponential(Dense a, Series series_of, Product multiply) {
  constexpr double kNorm = 1.090863719290036;
  const double norm = norm_1(a);
  const int halvings = norm > kNorm && std::isfinite(norm)
                           ? static_cast<int>(std::ceil(std::log2(norm / kNorm)))
                           : 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) a(i, j) = std::ldexp(a(i, j), -halvings);
  Dense sum = series_of(a);
  for (int i = 0; i < halvings; ++i) sum = multiply(sum, sum);
  return sum;
}

Dense multiply_fast(const Dense& a, const Dense& b) {
  Dense c(a.rows, b.cols);
  const kernel::Matrices to{c.view()};
  return kernel::multiply({a.view()}, {b.view()}, to) ? c : product(a, b);
}

/// Evaluates the same terms with 7 products instead of 18: a polynomial of degree 3 in A^6 whose
/// coefficients are polynomials of degree 5 in A.
Dense evaluate_series_fast(const Dense& a) {
  constexpr int kBlock = 6;
  std::vector<Dense> powers{Dense::identity(a.rows), a};
  for (int k = 2; k <= kBlock; ++k) powers.push_back(multiply_fast(powers.back(), a));
  double factor[kTerms + 1] = {1};
  for (int k = 1; k <= kTerms; ++k) factor[k] = factor[k - 1] / k;
  Dense sum(a.rows, a.cols);
  const auto add = [&](const Dense& power, double by) {
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < a.cols; ++j) sum(i, j) += by * power(i, j);
  };
  add(powers[kBlock], factor[kTerms]);
  for (int at = kTerms - kBlock; at >= 0; at -= kBlock) {
    for (int k = 0; k < kBlock; ++k) add(powers[static_cast<std::size_t>(k)], factor[at + k]);
    if (at) sum = multiply_fast(sum, powers[kBlock]);
  }
  return sum;
}

template <class Series, class Product>
void run_exponentials(const KernelArgs& k, Series series_of, Product multiply) {
  const auto from = kernel::all_matrices(k.in[0]), to = kernel::all_matrices(k.out[0]);
  for (std::size_t i = 0; i < from.size(); ++i)
    compute_exponential(Dense(from[i]), series_of, multiply).write_to(to[i]);
}

}  // namespace

template <> void reference_kernel(const MatrixExp&, const KernelArgs& k) {
  run_exponentials(k, evaluate_series, kernel::product);
}
template <> bool cpu_kernel(const MatrixExp&, const KernelArgs& k) {
  run_exponentials(k, evaluate_series_fast, multiply_fast);
  return true;
}

TAPER_DEFINE_OP(linalg_matrix_exp, MatrixExp);

Tensor matrix_exp(const Tensor& x) { return run(MatrixExp{}, x); }
Tensor ops::LinalgMethods::matrix_exp() const { return run(MatrixExp{}, self_of(this)); }

}  // namespace taper
