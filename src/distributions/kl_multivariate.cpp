// Divergences of multivariate normal distributions.
#include "distributions/covariance.h"
#include "distributions/kl_rules.h"

namespace taper::distributions {
namespace {

/// Returns the trace of (L L^T)^-1 A A^T.
Tensor trace_of_solved(const Tensor& scale_tril, const Tensor& a) {
  const Shape batch =
      broadcast_shapes(without_last(scale_tril.shape(), 2), without_last(a.shape(), 2));
  return linalg::solve_triangular(scale_tril.expand(concat({batch, last(scale_tril.shape(), 2)})),
                                  a.expand(concat({batch, last(a.shape(), 2)})), false)
      .square()
      .sum({-2, -1});
}
void check_same_event(const Distribution& p, const Distribution& q) {
  if (p.event_shape() != q.event_shape())
    fail<ValueError>("KL-divergence between {} and {} with different event shapes: got {} and {}",
                     p.name(), q.name(), p.event_shape(), q.event_shape());
}

/// Returns x^T C^-1 x for the covariance matrix C of a low-rank distribution.
Tensor low_rank_mahalanobis(const LowRankMultivariateNormal& d, const Tensor& x) {
  const Tensor scaled = d.cov_factor().mT() / d.cov_diag().unsqueeze(-2);
  return (x.square() / d.cov_diag()).sum({-1}) -
         mahalanobis(d.capacitance_tril(), batch_mv(scaled, x));
}
Tensor half_log_det_of(const MultivariateNormal& d) { return half_log_det(d.scale_tril()); }
Tensor half_log_det_of(const LowRankMultivariateNormal& d) {
  return half_log_det(d.capacitance_tril()) + 0.5 * d.cov_diag().log().sum({-1});
}
Tensor distance(const MultivariateNormal& d, const Tensor& x) {
  return mahalanobis(d.scale_tril(), x);
}
Tensor distance(const LowRankMultivariateNormal& d, const Tensor& x) {
  return low_rank_mahalanobis(d, x);
}
/// Returns the trace of C^-1 A A^T for the covariance matrix C of d.
Tensor relative_trace(const MultivariateNormal& d, const Tensor& a) {
  return trace_of_solved(d.scale_tril(), a);
}
Tensor relative_trace(const LowRankMultivariateNormal& d, const Tensor& a) {
  const Tensor scaled = d.cov_factor().mT() / d.cov_diag().unsqueeze(-2);
  return (a.square() / d.cov_diag().unsqueeze(-1)).sum({-2, -1}) -
         trace_of_solved(d.capacitance_tril(), scaled.matmul(a));
}
/// Returns the trace of C_q^-1 C_p.
template <class Q> Tensor trace_ratio(const MultivariateNormal& p, const Q& q) {
  return relative_trace(q, p.scale_tril());
}
template <class Q> Tensor trace_ratio(const LowRankMultivariateNormal& p, const Q& q) {
  return relative_trace(q, p.cov_factor()) + relative_trace(q, p.cov_diag().sqrt().diag_embed());
}

template <class P, class Q> Tensor kl_normals(const P& p, const Q& q) {
  check_same_event(p, q);
  const auto d = static_cast<double>(p.event_shape()[0]);
  return half_log_det_of(q) - half_log_det_of(p) +
         0.5 * (trace_ratio(p, q) + distance(q, q.loc() - p.loc()) - d);
}

}  // namespace

void register_multivariate_rules() {
  using Full = MultivariateNormal;
  using LowRank = LowRankMultivariateNormal;
  add_kl<MultivariateNormal, MultivariateNormal>(kl_normals<Full, Full>);
  add_kl<MultivariateNormal, LowRankMultivariateNormal>(kl_normals<Full, LowRank>);
  add_kl<LowRankMultivariateNormal, MultivariateNormal>(kl_normals<LowRank, Full>);
  add_kl<LowRankMultivariateNormal, LowRankMultivariateNormal>(kl_normals<LowRank, LowRank>);
}

}  // namespace taper::distributions
