// Orthogonal matrices as a parametrization.
#include <limits>

#include "nn/utils/tensor_of.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/nn/utils/parametrizations.h"
#include "taper/ops/indexing.h"

namespace taper::nn::utils::parametrizations {
namespace {

enum class OrthogonalMap { matrix_exp, cayley, householder };

TensorOptions options_like(const Tensor& t) { return {.dtype = t.dtype(), .device = t.device()}; }

Shape with_last_dims(Shape shape, std::int64_t rows, std::int64_t cols) {
  shape[shape.size() - 2] = rows, shape[shape.size() - 1] = cols;
  return shape;
}

bool is_orthogonal(const Tensor& q) {
  const double eps = q.dtype() == float64 ? std::numeric_limits<double>::epsilon()
                                          : std::numeric_limits<float>::epsilon();
  const Tensor product = q.mT().matmul(q);
  return allclose(product, eye(q.size(-1), -1, options_like(q)).expand_as(product), 1e-5,
                  10.0 * static_cast<double>(q.size(-2)) * eps);
}

/// Returns the Q of A = Q R, where R has a nonnegative diagonal.
Tensor orthogonalize(const Tensor& a) {
  const auto [x, tau] = geqrf(a);
  return linalg::householder_product(x, tau) * x.diagonal(0, -2, -1).sign().unsqueeze(-2);
}

}  // namespace
namespace detail {

struct Orthogonal final : Layer<Orthogonal> {
  std::optional<Buffer> base;  // None before the first right_inverse
  Orthogonal(const Tensor& weight, OrthogonalMap kind, bool trivialized)
      : shape(weight.shape()), map(kind), use_trivialization(trivialized) {}
  TAPER_LAYER(Orthogonal)

  // Wide matrices are transposed: from here on, a matrix is (n, k) with n >= k.
  Tensor forward(const Tensor& original) {
    const bool is_wide = original.size(-2) < original.size(-1);
    const Tensor x = is_wide ? original.mT() : original;
    Tensor q = map == OrthogonalMap::householder ? reflections(x) : map_skew_symmetric(x);
    if (base) q = base->matmul(q);
    return is_wide ? q.mT() : q;
  }

  Tensor right_inverse(const Tensor& value) {
    const NoGrad guard;
    if (value.shape() != shape)
      fail<ValueError>(
          "Expected a matrix or batch of matrices of shape {}. Got a tensor of shape {}.",
          Value(shape).repr(), Value(value.shape()).repr());
    const bool is_wide = value.size(-2) < value.size(-1);
    const Tensor q = is_wide ? value.mT() : value;
    if (!use_trivialization) return is_wide ? invert_householder(q).mT() : invert_householder(q);
    base.emplace(complete_to_square(q));
    // Every map has the value I for -I.
    Tensor start = zeros_like(value);
    start.diagonal(0, -2, -1).fill_(-1);
    return start;
  }

  /// Returns the first columns of f(A), where A is skew-symmetric with the lower triangle of x,
  /// including its diagonal.
  Tensor map_skew_symmetric(const Tensor& x) const {
    const std::int64_t n = x.size(-2), k = x.size(-1);
    Tensor lower = x.tril();
    if (n != k)
      lower = cat({lower, zeros(with_last_dims(x.shape(), n, n - k), options_like(x))}, -1);
    const Tensor a = lower - lower.mT();
    Tensor q;
    if (map == OrthogonalMap::matrix_exp) {
      q = a.matrix_exp();
    } else {
      const Tensor one = eye(n, -1, options_like(x));
      q = linalg::solve(one - a * 0.5, one + a * 0.5);
    }
    return n == k ? q : q.narrow(-1, 0, k);
  }
  /// Returns the product of the Householder reflections given by the columns of x below the
  /// diagonal, with columns multiplied by the signs of x's diagonal, which has no gradient.
  static Tensor reflections(const Tensor& x) {
    const Tensor a = x.tril(-1);
    const Tensor tau = 2.0 / (1.0 + (a * a).sum({-2}));
    const Tensor signs = x.detach().diagonal(0, -2, -1).to(int32);
    return linalg::householder_product(a, tau) * signs.unsqueeze(-2);
  }

  /// Returns the matrix that reflections() maps to q.
  Tensor invert_householder(const Tensor& q) const {
    if (map != OrthogonalMap::householder)
      fail<NotImplementedError>(
          "It is not possible to assign to the matrix exponential or the Cayley parametrizations "
          "when use_trivialization=False.");
    const auto [a, tau] = geqrf(q);
    const Tensor diagonal = a.diagonal(0, -2, -1);
    diagonal.sign_();
    // Without a reflection (tau = 0), R has the sign of q itself.
    diagonal.copy_(where(tau == 0, -diagonal, diagonal));
    return a;
  }
  /// Returns q as a square orthogonal matrix, extended with random columns.
  static Tensor complete_to_square(const Tensor& q) {
    const std::int64_t n = q.size(-2), k = q.size(-1);
    if (n == k) return is_orthogonal(q) ? q.clone() : orthogonalize(q);
    return orthogonalize(cat({q, randn(with_last_dims(q.shape(), n, n - k), options_like(q))}, -1));
  }

  Shape shape{};
  OrthogonalMap map = OrthogonalMap::matrix_exp;
  bool use_trivialization = true;
};
TAPER_LAYER_MEMBERS_AS(Orthogonal, "_Orthogonal", base)

}  // namespace detail
namespace {

OrthogonalMap resolve_map(std::string_view name, const Tensor& weight) {
  if (name.empty())
    return weight.size(-2) == weight.size(-1) ? OrthogonalMap::matrix_exp
                                              : OrthogonalMap::householder;
  if (name == "matrix_exp") return OrthogonalMap::matrix_exp;
  if (name == "cayley") return OrthogonalMap::cayley;
  if (name == "householder") return OrthogonalMap::householder;
  fail<ValueError>(
      "orthogonal_map has to be one of \"matrix_exp\", \"cayley\", \"householder\". Got: {}", name);
}

}  // namespace

void detail::add_orthogonal(Module& m, std::string_view name, const OrthogonalOptions& o) {
  const Tensor weight = tensor_of(m, name);
  if (weight.dim() < 2)
    fail<ValueError>("Expected a matrix or batch of matrices. Got a tensor of {} dimensions.",
                     weight.dim());
  parametrize::register_parametrization(
      m, name, Orthogonal(weight, resolve_map(o.orthogonal_map, weight), o.use_trivialization),
      {.unsafe = true});
}

}  // namespace taper::nn::utils::parametrizations
