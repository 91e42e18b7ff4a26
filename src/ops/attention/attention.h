// Scaled dot-product attention as one op, and its gradient.
#pragma once
#include "ops/op.h"

namespace taper {

/// Computes softmax(query key^T * scale + mask) value for query (..., L, E), key (..., S, E) and
/// value (..., S, Ev), and for each query the maximum of its scores and the logarithm of the sum of
/// e^(score - maximum) (..., L). Their sum would not have the digits of the logarithm beside large
/// scores. Key and value may have fewer heads (dimension -3), each of which serves several
/// consecutive heads of the query. The output of a query without keys is 0, its maximum -infinity
/// and its logarithm 0. The score matrix is not stored. Outputs and gradients have the memory order
/// of the query, key or value.
struct ScaledDotProductAttention {
  bool is_causal = false;         ///< query i takes part with keys 0 to i only
  std::optional<double> scale{};  ///< factor of the scores; default: 1 / sqrt(E)
  TAPER_ATTRIBUTES(is_causal, scale)
  static constexpr OpInfo op{.name = "scaled_dot_product_attention",
                             .node = "ScaledDotProductFlashAttentionForCpuBackward0",
                             .inputs = "query key value attn_mask?",
                             .outputs = "output maximum log_sum",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | in(1) | in(2) | in(3) | out(0) | out(1) | out(2),
                             .autocast = AutocastPolicy::lower_precision,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<ScaledDotProductAttention>& b) const;
  double flops(const KernelArgs& k) const;
};

/// Computes the requested gradients of ScaledDotProductAttention with respect to query, key, value
/// and a mask of numbers, the last in the shape of the scores. `grad_log_sum` is the gradient of
/// the sum of the second and the third output.
struct ScaledDotProductAttentionBackward {
  bool is_causal = false;
  std::optional<double> scale{};
  bool compute_grad_query = true, compute_grad_key = true, compute_grad_value = true;
  bool compute_grad_mask = false;
  TAPER_ATTRIBUTES(is_causal, scale, compute_grad_query, compute_grad_key, compute_grad_value,
                   compute_grad_mask)
  static constexpr OpInfo op{
      .name = "scaled_dot_product_attention_backward",
      .node = "ScaledDotProductFlashAttentionForCpuBackwardBackward0",
      .inputs = "grad_out query key value out maximum log_sum grad_log_sum? attn_mask?",
      .outputs = "grad_query grad_key grad_value grad_attn_mask",
      .dtypes = DTypeSet::floating,
      .saved = in(0) | in(1) | in(2) | in(3) | in(4) | in(5) | in(6) | in(7) | in(8),
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  /// Differentiates the gradients as functions of all inputs, in terms of the score matrix.
  void backward(BackwardContext<ScaledDotProductAttentionBackward>& b) const;
  double flops(const KernelArgs& k) const;
};

/// Returns the factor of the scores for queries of `depth` elements.
double attention_scale(const std::optional<double>& scale, std::int64_t depth);

/// Returns the number of heads of the query that share a head of the key.
std::int64_t heads_per_key_head(const Shape& query, const Shape& key);

}  // namespace taper
