// Products of tensors that are composed of matrix products.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/number_range.h"
#include "ops/autocast.h"
#include "ops/distance/pairwise_distances.h"
#include "ops/forms.h"
#include "ops/linalg/add_product.h"
#include "ops/linalg/assign.h"
#include "ops/promote.h"
#include "taper/core/factory.h"

namespace taper {

Tensor tensordot(const Tensor& a, const Tensor& b, const Dims& dims_a, const Dims& dims_b) {
  if (dims_a.size() != dims_b.size())
    fail<ShapeError>("tensordot: both dimension lists should have same length: got {} and {}",
                     dims_a, dims_b);
  const auto rank_a = a.shape().size(), rank_b = b.shape().size();
  std::vector<bool> in_a(rank_a), in_b(rank_b);
  Shape summed_a, summed_b;
  Tensor left = a, right = b;
  std::int64_t size = 1;
  for (std::size_t i = 0; i < dims_a.size(); ++i) {
    const std::int64_t d = wrap_dim(dims_a[i], rank_a, "tensordot"),
                       e = wrap_dim(dims_b[i], rank_b, "tensordot");
    const std::int64_t n = a.size(d), m = b.size(e);
    if (in_a[static_cast<std::size_t>(d)] || in_b[static_cast<std::size_t>(e)])
      fail<ValueError>("tensordot: a dimension appears multiple times: got {} and {}", dims_a,
                       dims_b);
    in_a[static_cast<std::size_t>(d)] = in_b[static_cast<std::size_t>(e)] = true;
    if (n != m && n != 1 && m != 1)
      fail<ShapeError>(
          "tensordot: contracted dimensions need to match, but first has size {} in dim {} and "
          "second has size {} in dim {}",
          n, d, m, e);
    // A dimension of size 1 is broadcast: the other one is summed.
    if (m == 1) left = left.sum(d, true, left.dtype());
    if (n == 1) right = right.sum(e, true, right.dtype());
    size *= n == 1 || m == 1 ? 1 : n;
    summed_a.push_back(d), summed_b.push_back(e);
  }
  Shape order_a, order_b, result;
  std::int64_t rows = 1, cols = 1;
  for (std::size_t d = 0; d < rank_a; ++d)
    if (!in_a[d])
      order_a.push_back(static_cast<std::int64_t>(d)), result.push_back(a.shape()[d]),
          rows *= a.shape()[d];
  for (const std::int64_t d : summed_a) order_a.push_back(d);
  for (const std::int64_t d : summed_b) order_b.push_back(d);
  for (std::size_t d = 0; d < rank_b; ++d)
    if (!in_b[d])
      order_b.push_back(static_cast<std::int64_t>(d)), result.push_back(b.shape()[d]),
          cols *= b.shape()[d];
  return left.permute(order_a)
      .reshape({rows, size})
      .mm(right.permute(order_b).reshape({size, cols}))
      .reshape(result);
}

Tensor tensordot(const Tensor& a, const Tensor& b, IntArg dims) {
  if (dims < 0) fail<ValueError>("tensordot: expects dims >= 0, but got dims={}", dims);
  if (dims > std::min(a.dim(), b.dim()))
    fail<ShapeError>(
        "tensordot: expects dims <= ndim of both tensors, but got dims={} for shapes "
        "{} and {}",
        dims, a.shape(), b.shape());
  Shape last, first;
  for (std::int64_t d = 0; d < dims; ++d) last.push_back(d - dims), first.push_back(d);
  return tensordot(a, b, last, first);
}

Tensor inner(const Tensor& a, const Tensor& b) {
  if (tls.autocast) return autocast_call(AutocastPolicy::lower_precision, inner, a, b);
  if (a.dim() == 0 || b.dim() == 0) return a * b;
  if (a.size(-1) != b.size(-1))
    fail<ShapeError>(
        "inner: the last dimension must match on both input tensors but got shapes {} and {}",
        a.shape(), b.shape());
  return tensordot(a, b, Dims{-1}, Dims{-1});
}
Tensor vdot(const Tensor& a, const Tensor& b) { return a.dot(b); }
Tensor ger(const Tensor& a, const Tensor& b) { return outer(a, b); }

Tensor kron(const Tensor& a, const Tensor& b) {
  const auto rank = static_cast<std::size_t>(std::max(a.dim(), b.dim()));
  Shape shape_a, shape_b, result;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto size_of_dim = [&](const Shape& s) {
      const std::size_t lead = rank - s.size();
      return d < lead ? 1 : s[d - lead];
    };
    const std::int64_t n = size_of_dim(a.shape()), m = size_of_dim(b.shape());
    shape_a.push_back(n), shape_a.push_back(1);
    shape_b.push_back(1), shape_b.push_back(m);
    std::int64_t size = 0;
    if (__builtin_mul_overflow(n, m, &size))
      fail<ShapeError>("kron: a size of the result exceeds 2^63 - 1: got shapes {} and {}",
                       a.shape(), b.shape());
    result.push_back(size);
  }
  Tensor left = a.reshape(shape_a), right = b.reshape(shape_b);
  constexpr std::int64_t kShort = 16;
  if (rank > 0 && right.size(-1) < kShort && left.size(-2) > 1) {
    // Elementwise loops are slow on short rows.
    Shape expanded(std::vector<std::int64_t>(2 * rank - 2, -1));
    expanded.push_back(left.size(-2)), expanded.push_back(right.size(-1));
    const auto with_whole_rows = [&](const Tensor& t) { return t.expand(expanded).flatten(-2); };
    left = with_whole_rows(left), right = with_whole_rows(right);
  }
  return (left * right).reshape(result);
}

Tensor addr(const Tensor& x, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  if (vec1.dim() != 1 || vec2.dim() != 1)
    fail<ShapeError>("addr: Expected 1-D arguments vec1 and vec2, but got shapes {} and {}",
                     vec1.shape(), vec2.shape());
  // The input has two dimensions after its expansion, so that its dtype always counts.
  const DType dtype = promote_types(x.dtype(), promote_types(vec1.dtype(), vec2.dtype()));
  if (!is_floating_point(dtype) && (alpha.is_floating() || beta.is_floating()))
    fail<ValueError>(
        "addr: For integral input tensors, argument {} must not be a floating point number: got {}",
        alpha.is_floating() ? "alpha" : "beta", (alpha.is_floating() ? alpha : beta).to_double());
  const Shape shape{vec1.size(0), vec2.size(0)};
  for (const Scalar* factor : {&beta, &alpha}) check_in_range(*factor, dtype, "addr");
  const Tensor self = x.to(dtype).expand(shape);
  if (dtype == DType::bool_) {
    const Tensor product = outer(vec1, vec2);
    const Tensor right = alpha.to_bool() ? product : zeros_like(product);
    return beta.to_bool() ? self.logical_or(right) : right;
  }
  const Tensor right = outer(multiply_by(vec1.to(dtype), alpha), vec2.to(dtype));
  if (beta.to_double() != 0) return multiply_by(self, beta) + right;
  // The input is not read; its gradient is 0.
  return where(full(shape, true, {.device = x.device()}), right, self);
}

Tensor addbmm(const Tensor& x, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  if (batch1.dim() != 3 || batch2.dim() != 3)
    fail<ShapeError>("addbmm: expected 3-D tensors batch1 and batch2, but got shapes {} and {}",
                     batch1.shape(), batch2.shape());
  if (batch1.size(0) != batch2.size(0) || batch1.size(2) != batch2.size(1))
    fail<ShapeError>("addbmm: Incompatible matrix sizes: got shapes {} and {}", batch1.shape(),
                     batch2.shape());
  // The sum over the batch is part of the inner product.
  const std::int64_t n = batch1.size(0) * batch1.size(2);
  return addmm(x, batch1.transpose(0, 1).reshape({batch1.size(1), n}),
               batch2.reshape({n, batch2.size(2)}), beta, alpha);
}

Tensor chain_matmul(std::span<const Tensor> matrices) {
  if (matrices.empty()) fail<ValueError>("chain_matmul: Expecting at least 1 matrix");
  const std::size_t n = matrices.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (matrices[i].dim() != 2)
      fail<ShapeError>("chain_matmul: Tensor dimension is {}, expected 2 instead",
                       matrices[i].dim());
    if (i > 0 && matrices[i].size(0) != matrices[i - 1].size(1))
      fail<ShapeError>("chain_matmul: sizes of matrices {} and {} do not match: {} and {}", i - 1,
                       i, matrices[i - 1].shape(), matrices[i].shape());
  }
  // Least cost of each subchain, and the position at which it is divided.
  std::vector<std::vector<double>> least(n, std::vector<double>(n));
  std::vector<std::vector<std::size_t>> cut(n, std::vector<std::size_t>(n));
  for (std::size_t length = 2; length <= n; ++length)
    for (std::size_t i = 0; i + length <= n; ++i) {
      const std::size_t j = i + length - 1;
      least[i][j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double c = least[i][k] + least[k + 1][j] +
                         static_cast<double>(matrices[i].size(0)) *
                             static_cast<double>(matrices[k].size(1)) *
                             static_cast<double>(matrices[j].size(1));
        if (c < least[i][j]) least[i][j] = c, cut[i][j] = k;
      }
    }
  const auto multiply = [&](const auto& self, std::size_t i, std::size_t j) -> Tensor {
    if (i == j) return matrices[i];
    return self(self, i, cut[i][j]).mm(self(self, cut[i][j] + 1, j));
  };
  return multiply(multiply, 0, n - 1);
}
Tensor chain_matmul(std::initializer_list<Tensor> matrices) {
  return chain_matmul(std::span(matrices.begin(), matrices.size()));
}

namespace {

/// Euclidean distances from one matrix product: |a - b|^2 = |a|^2 - 2 a b + |b|^2. The gradient of
/// a distance of 0 is 0, as in PyTorch.
Tensor distances_by_product(const Tensor& x1, const Tensor& x2) {
  const auto square = [](const Tensor& x) { return x.square().sum(-1, true); };
  const auto one = [](const Tensor& x) { return ones_like(x.slice(-1, 0, 1)); };
  const Tensor left = cat({x1 * -2, square(x1), one(x1)}, -1);
  const Tensor right = cat({x2, one(x2), square(x2)}, -1);
  const Tensor squares = left.matmul(right.mT());
  if (!squares.requires_grad()) return squares.clamp_min_(0).sqrt_();
  const Tensor zero = squares <= 0;
  return squares.masked_fill(zero, 1).sqrt().masked_fill(zero, 0);
}

}  // namespace

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::string_view compute_mode) {
  if (tls.autocast) return autocast_call(AutocastPolicy::f32, cdist, x1, x2, p, compute_mode);
  if (compute_mode != "use_mm_for_euclid_dist_if_necessary" &&
      compute_mode != "use_mm_for_euclid_dist" && compute_mode != "donot_use_mm_for_euclid_dist")
    fail<ValueError>("cdist: {} is not a valid value for compute_mode", compute_mode);
  if (x1.dim() < 2 || x2.dim() < 2)
    fail<ShapeError>("cdist: only supports at least 2D tensors: got shapes {} and {}", x1.shape(),
                     x2.shape());
  if (x1.size(-1) != x2.size(-1))
    fail<ShapeError>("cdist: X1 and X2 must have the same number of columns: got shapes {} and {}",
                     x1.shape(), x2.shape());
  if (!is_floating_point(x1.dtype()) || x1.dtype() != x2.dtype())
    fail<DTypeError>("cdist: only supports floating-point dtypes: got {} and {}", x1.dtype(),
                     x2.dtype());
  if (!(p >= 0)) fail<ValueError>("cdist: only supports non-negative p values: got {}", p);
  // As in PyTorch, which requires this accuracy of small inputs only.
  constexpr std::int64_t kManyRows = 25;
  const bool many = x1.size(-2) > kManyRows || x2.size(-2) > kManyRows;
  if (p == 2 && x1.size(-1) > 0 && size_of(x1.dtype()) >= 4 &&
      (compute_mode == "use_mm_for_euclid_dist" ||
       (many && compute_mode != "donot_use_mm_for_euclid_dist")))
    return distances_by_product(x1, x2);
  return pairwise_distances(x1, x2, p);
}

namespace ops {
Tensor ScanMethods::inner(const Tensor& other) const { return taper::inner(self_of(this), other); }
Tensor ScanMethods::vdot(const Tensor& other) const { return taper::vdot(self_of(this), other); }
Tensor ScanMethods::ger(const Tensor& vec2) const { return taper::ger(self_of(this), vec2); }
Tensor ScanMethods::kron(const Tensor& other) const { return taper::kron(self_of(this), other); }
Tensor ScanMethods::cross(const Tensor& other, std::optional<IntArg> dim) const {
  return taper::cross(self_of(this), other, dim);
}
Tensor ScanMethods::addr(const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
                         const Scalar& alpha) const {
  return taper::addr(self_of(this), vec1, vec2, beta, alpha);
}
const Tensor& ScanMethods::addr_(const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
                                 const Scalar& alpha) const {
  return assign_result(self_of(this), "addr_", [&] { return addr(vec1, vec2, beta, alpha); });
}
Tensor ScanMethods::addbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                           const Scalar& alpha) const {
  return taper::addbmm(self_of(this), batch1, batch2, beta, alpha);
}
const Tensor& ScanMethods::addbmm_(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                                   const Scalar& alpha) const {
  return assign_result(self_of(this), "addbmm_",
                       [&] { return addbmm(batch1, batch2, beta, alpha); });
}
}  // namespace ops

}  // namespace taper
