// Gradient rules of attention.
#include <limits>

#include "core/add_to.h"
#include "ops/attention/attention.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/linalg.h"

namespace taper {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor transposed(const Tensor& t) { return t.transpose(-2, -1); }
Tensor row_sum(const Tensor& t) { return t.sum({-1}, true); }

/// Conversions between the heads of the query and those of keys and values.
struct HeadGroups {
  std::int64_t group;

  Tensor repeat(const Tensor& t) const { return group == 1 ? t : t.repeat_interleave(group, -3); }
  Tensor sum(const Tensor& t) const {
    if (group == 1) return t;
    Shape split = t.shape();
    const std::size_t heads = split.size() - 3;
    split[heads] /= group;
    split.insert(heads + 1, group);
    return t.reshape(split).sum({-3});
  }
};

/// Returns the scores of all queries and keys; -inf for excluded pairs. `k` has the heads of `q`.
Tensor masked_scores(const Tensor& q, const Tensor& k, const Tensor& mask, bool is_causal,
                     double factor) {
  Tensor scores = q.matmul(transposed(k)).mul(factor);
  if (mask.defined())
    scores = mask.dtype() == DType::bool_ ? scores.masked_fill(mask.logical_not(), -kInfinity)
                                          : scores.add(mask);
  if (!is_causal) return scores;
  const Tensor visible =
      ones({q.size(-2), k.size(-2)}, {.dtype = DType::bool_, .device = q.device()}).tril();
  return scores.masked_fill(visible.logical_not(), -kInfinity);
}

/// Computes the softmax of scores; 0 for queries without keys, whose gradient is 0 as well.
Tensor weights_of(const Tensor& scores) {
  const Tensor is_empty = scores.eq(-kInfinity).all({-1}, true);
  return scores.masked_fill(is_empty, 0).softmax(-1).masked_fill(is_empty, 0);
}

/// Returns the gradient of the scores that arrives through their maxima: equal scores share it, and
/// the logarithms of the sums are relative to the maxima.
Tensor maximum_gradient(const Tensor& scores, BackwardContext<ScaledDotProductAttention>& b) {
  const Tensor grad = b.has_grad(2) ? b.grad(1).sub(b.grad(2)) : b.grad(1);
  const Tensor is_maximum = scores.eq(scores.amax({-1}, true)).logical_and(scores.ne(-kInfinity));
  const Tensor shares = is_maximum.to(grad.dtype());
  return shares.div(row_sum(shares).clamp_min(1)).mul(grad.unsqueeze(-1)).to(scores.dtype());
}

/// Returns true if the gradients of maxima and logarithms differ. Equal ones are a gradient of
/// their sum, which does not depend on the position of the maximum.
bool has_maximum_gradient(BackwardContext<ScaledDotProductAttention>& b) {
  if (!b.has_grad(1) || b.output<0>().numel() == 0) return false;
  const Tensor differs = b.has_grad(2) ? b.grad(1).ne(b.grad(2)) : b.grad(1).ne(0);
  return differs.device().is_meta() || differs.any().item<bool>();
}

/// Computes the gradients of attention in terms of the score matrix, differentiably. Normalized
/// weights make the gradients of a query with a single key exactly 0, which weights recomputed from
/// the saved logarithm do not.
void differentiate_composition(const ScaledDotProductAttention& o,
                               BackwardContext<ScaledDotProductAttention>& b) {
  const Tensor g = b.grad(), q = b.input<0>(), &mask = b.input<3>();
  const HeadGroups heads{heads_per_key_head(q.shape(), b.input<1>().shape())};
  const Tensor k = heads.repeat(b.input<1>()), v = heads.repeat(b.input<2>());
  const double factor = attention_scale(o.scale, q.size(-1));
  const Tensor scores = masked_scores(q, k, mask, o.is_causal, factor), p = weights_of(scores);
  const Tensor r = g.matmul(transposed(v));
  Tensor d = row_sum(p.mul(r));
  if (b.has_grad(2)) d = d.sub(b.grad(2).unsqueeze(-1).to(q.dtype()));
  Tensor t = p.mul(r.sub(d));
  if (b.has_grad(1) && scores.numel() > 0) t = t.add(maximum_gradient(scores, b));
  if (b.needs_input_grad(0)) b[0] = t.matmul(k).mul(factor);
  if (b.needs_input_grad(1)) b[1] = heads.sum(transposed(t).matmul(q).mul(factor));
  if (b.needs_input_grad(2)) b[2] = heads.sum(transposed(p).matmul(g));
  if (b.needs_input_grad(3)) b[3] = t;
}

}  // namespace

void ScaledDotProductAttention::backward(BackwardContext<ScaledDotProductAttention>& b) const {
  if ((is_grad_enabled() && b.output<0>().numel() > 0) || has_maximum_gradient(b))
    return differentiate_composition(*this, b);
  const Tensor& mask = b.input<3>();
  auto [dq, dk, dv, dm] =
      run_all(ScaledDotProductAttentionBackward{is_causal, scale, b.needs_input_grad(0),
                                                b.needs_input_grad(1), b.needs_input_grad(2),
                                                b.needs_input_grad(3)},
              b.grad(), b.input<0>(), b.input<1>(), b.input<2>(), b.output<0>(), b.output<1>(),
              b.output<2>(), b.has_grad(2) ? b.grad(2) : Tensor(), mask);
  b[0] = std::move(dq), b[1] = std::move(dk), b[2] = std::move(dv), b[3] = std::move(dm);
}

void ScaledDotProductAttentionBackward::backward(
    BackwardContext<ScaledDotProductAttentionBackward>& b) const {
  // With scores s = scale q k^T + mask, weights p = e^(s - maximum - log_sum), r = g v^T and
  // d = rowsum(g out) - grad_log_sum, the gradients are those of the mask t = p (r - d), of the
  // query scale t k, of the key scale t^T q and of the value p^T g.
  const Tensor g = b.input<0>(), q = b.input<1>(), out = b.input<4>();
  const HeadGroups heads{heads_per_key_head(q.shape(), b.input<2>().shape())};
  const Tensor k = heads.repeat(b.input<2>()), v = heads.repeat(b.input<3>());
  const double factor = attention_scale(scale, q.size(-1));
  Tensor maximum = b.input<5>().unsqueeze(-1);
  const Tensor scores = masked_scores(q, k, b.input<8>(), is_causal, factor);
  // The weights of a query without keys are 0, not NaN.
  if (is_causal || b.input<8>().defined()) maximum = maximum.masked_fill(maximum.eq(-kInfinity), 0);
  const Tensor p = scores.sub(maximum).sub(b.input<6>().unsqueeze(-1)).exp();
  const Tensor r = g.matmul(transposed(v));
  Tensor d = row_sum(g.mul(out));
  if (b.input<7>().defined()) d = d.sub(b.input<7>().unsqueeze(-1));
  const Tensor difference = r.sub(d), t = p.mul(difference);

  // u, w, z and m are the gradients of the four outputs, for the heads of the query.
  const auto given = [&](int i) {
    if (!b.has_grad(i)) return Tensor();
    return i == 1 || i == 2 ? heads.repeat(b.grad(i)) : b.grad(i);
  };
  const Tensor u = given(0), w = given(1), z = given(2), m = given(3);
  Tensor dg, dq, dk, dv, dt = m, dp;
  if (u.defined()) {
    add_to(dt, u.matmul(transposed(k)).mul(factor));
    add_to(dk, transposed(t).matmul(u).mul(factor));
  }
  if (w.defined()) {
    add_to(dt, q.matmul(transposed(w)).mul(factor));
    add_to(dq, t.matmul(w).mul(factor));
  }
  if (z.defined()) {
    add_to(dp, g.matmul(transposed(z)));
    add_to(dg, p.matmul(z));
  }
  if (dt.defined()) {
    const Tensor dr = p.mul(dt), dd = row_sum(dr).neg();
    add_to(dp, dt.mul(difference));
    add_to(dg, dr.matmul(v).add(dd.mul(out)));
    add_to(dv, transposed(dr).matmul(g));
    if (b.needs_input_grad(4)) b[4] = dd.mul(g);
    if (b.needs_input_grad(7)) b[7] = dd.neg().squeeze(-1);
  }
  if (!dp.defined()) return;
  const Tensor ds = dp.mul(p);
  add_to(dq, ds.matmul(k).mul(factor));
  add_to(dk, transposed(ds).matmul(q).mul(factor));
  if (b.needs_input_grad(0)) b[0] = dg;
  if (b.needs_input_grad(1)) b[1] = dq;
  if (b.needs_input_grad(2)) b[2] = heads.sum(dk);
  if (b.needs_input_grad(3) && dv.defined()) b[3] = heads.sum(dv);
  for (const int statistic : {5, 6})
    if (b.needs_input_grad(statistic)) b[statistic] = row_sum(ds).neg().squeeze(-1);
  if (b.needs_input_grad(8)) b[8] = ds;
}

}  // namespace taper
