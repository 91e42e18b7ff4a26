#include "ops/distance/pairwise_distances.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/autocast.h"
#include "ops/kernel/dense.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/distance.h"
#include "taper/ops/elementary.h"

namespace taper {

RowPairs::RowPairs(const Shape& x1, const Shape* x2)
    : rows1(x1[x1.size() - 2]), columns(x1[x1.size() - 1]), is_within(x2 == nullptr) {
  for (std::size_t d = 0; d + 2 < x1.size(); ++d) batches *= x1[d];
  rows2 = x2 ? (*x2)[x2->size() - 2] : rows1;
}

bool has_pairwise_kernel(double p) { return p == 1 || p == 2 || p == INFINITY; }

namespace {

Shape distances_shape(const ShapeInference& i, double p, int x1, int x2) {
  if (!has_pairwise_kernel(p)) i.fail<ValueError>("expected p to be 1, 2 or inf, got {}", p);
  const Shape& a = i.shape(x1);
  if (!i.has(x2)) {
    if (a.size() != 2) i.fail("expected a matrix, got shape {}", a);
    const std::int64_t n = a[0], even = n % 2 == 0 ? n : n - 1, odd = n % 2 == 0 ? n - 1 : n;
    std::int64_t pairs = 0;
    if (__builtin_mul_overflow(even / 2, odd, &pairs))
      i.fail("the number of pairs of {} rows exceeds 2^63 - 1", n);
    return {pairs};
  }
  const Shape& b = i.shape(x2);
  const bool fits = a.size() >= 2 && a.size() == b.size() &&
                    std::equal(a.begin(), a.end() - 2, b.begin()) &&
                    a[a.size() - 1] == b[b.size() - 1] && i.dtype(x1) == i.dtype(x2);
  if (!fits) i.fail("inputs do not match: got {} {} and {} {}", i.dtype(x1), a, i.dtype(x2), b);
  Shape y = a;
  y[y.size() - 1] = b[b.size() - 2];
  return y;
}

/// Calls f(pair, offset of the row of x1, offset of the row of x2) for all pairs.
template <class F> void for_each_pair(const RowPairs& r, F&& f) {
  std::int64_t pair = 0;
  for (std::int64_t b = 0; b < r.batches; ++b)
    for (std::int64_t i = 0; i < r.rows1; ++i)
      for (std::int64_t j = r.is_within ? i + 1 : 0; j < r.rows2; ++j)
        f(pair++, (b * r.rows1 + i) * r.columns, (b * r.rows2 + j) * r.columns);
}

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/// Returns the derivative of a distance with respect to one element of the difference.
double slope(double p, double difference, double distance) {
  if (p == 2) return distance == 0 ? 0 : difference / distance;
  if (p == 1) return sign_of(difference);
  return std::abs(difference) == distance ? sign_of(difference) : 0;
}

const Shape* second_shape(const KernelArgs& k, int i) {
  return k.has(i) ? k.in[static_cast<std::size_t>(i)].shape : nullptr;
}

/// Returns the norms of differences along the last dimension. As in PyTorch, the distance of
/// coincident rows is constant, although a norm has no second derivative at 0, and numbers of
/// nonzero elements have a gradient, which is 0.
Tensor distances_of(const Tensor& differences, double p) {
  const Tensor coincide = (differences == 0).all(-1, true);
  const Tensor norms =
      norm(differences.masked_fill(coincide, 1), p, -1).masked_fill(coincide.squeeze(-1), 0);
  return p == 0 ? norms + threshold(differences.nan_to_num(), INFINITY, 0).sum({-1}) : norms;
}

Tensor composed_distances(const Tensor& x1, const Tensor& x2, double p) {
  return distances_of(x1.unsqueeze(-2) - x2.unsqueeze(-3), p);
}

}  // namespace

void PairwiseDistances::infer(ShapeInference& i) const {
  i.set_output(distances_shape(i, p, 0, 1), i.dtype(0));
}
void PairwiseDistancesBackward::infer(ShapeInference& i) const {
  const Shape y = distances_shape(i, p, 1, 2);
  if (!(i.shape(0) == y) || !(i.shape(3) == y))
    i.fail("expected gradients and distances of shape {}, got {} and {}", y, i.shape(0),
           i.shape(3));
  i.set_output(i.shape(1), i.dtype(1));
}

template <> void reference_kernel(const PairwiseDistances& o, const KernelArgs& k) {
  const RowPairs r(*k.in[0].shape, second_shape(k, 1));
  const kernel::DenseInput<double> x1(k.in[0]), x2(k.in[k.has(1) ? 1 : 0]);
  kernel::DenseOutput<double> out(k.out[0]);
  for_each_pair(r, [&](std::int64_t pair, std::int64_t a, std::int64_t b) {
    double total = 0;
    for (std::int64_t c = 0; c < r.columns; ++c) {
      const double d = std::abs(x1.data()[a + c] - x2.data()[b + c]);
      if (o.p == INFINITY)
        total = d > total || std::isnan(d) ? d : total;
      else
        total += o.p == 2 ? d * d : d;
    }
    out.data()[pair] = o.p == 2 ? std::sqrt(total) : total;
  });
  out.store();
}

template <> void reference_kernel(const PairwiseDistancesBackward& o, const KernelArgs& k) {
  const RowPairs r(*k.in[1].shape, second_shape(k, 2));
  const kernel::DenseInput<double> g(k.in[0]), x1(k.in[1]), x2(k.in[k.has(2) ? 2 : 1]),
      distances(k.in[3]);
  kernel::DenseOutput<double> out(k.out[0]);
  std::fill_n(out.data(), k.out[0].numel, 0.0);
  for_each_pair(r, [&](std::int64_t pair, std::int64_t a, std::int64_t b) {
    for (std::int64_t c = 0; c < r.columns; ++c) {
      const double d = x1.data()[a + c] - x2.data()[b + c];
      const double term = g.data()[pair] * slope(o.p, d, distances.data()[pair]);
      out.data()[a + c] += term;
      if (r.is_within) out.data()[b + c] -= term;
    }
  });
  out.store();
}

void PairwiseDistances::backward(BackwardContext<PairwiseDistances>& b) const {
  const Tensor &x1 = b.input<0>(), &x2 = b.input<1>();
  if (is_grad_enabled()) {
    // Leaves of the graph of the composed function, which is differentiated right away.
    const Tensor left = x1.view_as(x1), right = x2.defined() ? x2.view_as(x2) : Tensor();
    const Tensor y = x2.defined() ? composed_distances(left, right, p) : composed_pdist(left, p);
    std::vector<Tensor> wanted;
    if (b.needs_input_grad(0)) wanted.push_back(left);
    if (x2.defined() && b.needs_input_grad(1)) wanted.push_back(right);
    const std::vector<Tensor> grads = autograd::grad(
        std::span(&y, 1), wanted,
        {.grad_outputs = {b.grad()}, .create_graph = true, .materialize_grads = true});
    std::size_t next = 0;
    if (b.needs_input_grad(0)) b[0] = grads[next++];
    if (x2.defined() && b.needs_input_grad(1)) b[1] = grads[next];
    return;
  }
  const Tensor g = b.grad(), y = b.output<0>();
  if (b.needs_input_grad(0)) b[0] = run(PairwiseDistancesBackward{p}, g, x1, x2, y);
  if (x2.defined() && b.needs_input_grad(1))
    b[1] = run(PairwiseDistancesBackward{p}, g.mT().contiguous(), x2, x1, y.mT().contiguous());
}

TAPER_DEFINE_OP(pairwise_distances, PairwiseDistances);
TAPER_DEFINE_OP(pairwise_distances_backward, PairwiseDistancesBackward);

Tensor composed_pdist(const Tensor& input, double p) {
  const std::int64_t rows = input.size(0);
  const Tensor pairs = triu_indices(rows, rows, 1, {.device = input.device()});
  return distances_of(input.index_select(0, pairs[0]) - input.index_select(0, pairs[1]), p);
}

Tensor pairwise_distances(const Tensor& x1, const Tensor& x2, double p) {
  const Shape &a = x1.shape(), &b = x2.shape();
  const bool same_batches = std::equal(a.begin(), a.end() - 2, b.begin(), b.end() - 2);
  if (!has_pairwise_kernel(p) || !same_batches) return composed_distances(x1, x2, p);
  return run(PairwiseDistances{p}, x1, x2);
}

Tensor pdist(const Tensor& input, const PdistFuncOptions& o) {
  const double p = o.p;
  if (input.dim() != 2) fail<ShapeError>("pdist: only supports 2D tensors, got: {}D", input.dim());
  if (!input.is_floating_point())
    fail<DTypeError>("pdist: only supports floating-point dtypes, got {}", input.dtype());
  if (!(p >= 0)) fail<ValueError>("pdist: only supports non-negative p values, got {}", p);
  if (!has_pairwise_kernel(p)) return composed_pdist(input, p);
  return run(PairwiseDistances{p}, input, Tensor());
}

}  // namespace taper
