// Attention functions.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of scaled_dot_product_attention.
struct ScaledDotProductAttentionFuncOptions {
  /// Mask broadcastable to `(..., L, S)`: a bool mask is true where a key takes part, any other is
  /// added to the scores.
  OptionalTensor attn_mask{};
  FloatArg dropout_p = 0;           ///< probability of dropping an attention weight
  bool is_causal = false;           ///< query i takes part with keys 0 to i only
  std::optional<FloatArg> scale{};  ///< factor of the scores; default: 1 / sqrt(E)
  /// Allows fewer key and value heads (dimension -3) than query heads, each of which is used by
  /// several consecutive query heads.
  bool enable_gqa = false;
};

/// Computes softmax(query key^T * scale + mask) value for query `(..., L, E)`, key `(..., S, E)`
/// and value `(..., S, Ev)`: `(..., L, Ev)`. The weights of a query that no key takes part with are
/// 0. Throws ShapeError if shapes do not match, DTypeError if dtypes differ, ValueError if both
/// `attn_mask` and `is_causal` are given.
/// PyTorch: torch.nn.functional.scaled_dot_product_attention.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const ScaledDotProductAttentionFuncOptions& options = {});

/// Options of multi_head_attention_forward. PyTorch requires the first ten, up to `out_proj_bias`.
struct MultiheadAttentionForwardFuncOptions {
  IntArg embed_dim_to_check = 0;      ///< embedding dimension E of the query; required
  IntArg num_heads = 0;               ///< number of heads, which divides E; required
  OptionalTensor in_proj_weight{};    ///< weights of query, key and value `(3 * E, E)`
  OptionalTensor in_proj_bias{};      ///< biases of query, key and value `(3 * E)`
  OptionalTensor bias_k{}, bias_v{};  ///< key and value `(1, 1, E)` that are appended
  bool add_zero_attn = false;         ///< appends a key and a value of zeros
  FloatArg dropout_p = 0;             ///< probability of dropping an attention weight
  OptionalTensor out_proj_weight{};   ///< weight of the output `(E, E)`; required
  OptionalTensor out_proj_bias{};     ///< bias of the output `(E)`
  bool training = true;               ///< applies dropout
  /// Keys to exclude, `(N, S)` or `(S)`: true, or a value that is added to the scores.
  OptionalTensor key_padding_mask{};
  bool need_weights = true;  ///< also returns the attention weights
  /// Pairs to exclude, `(L, S)` or `(N * num_heads, L, S)`: true, or a value that is added to the
  /// scores.
  OptionalTensor attn_mask{};
  bool use_separate_proj_weight = false;  ///< uses the three weights below instead of one
  OptionalTensor q_proj_weight{}, k_proj_weight{}, v_proj_weight{};
  /// Projected keys and values `(N * num_heads, S, E / num_heads)` that replace those of `key` and
  /// `value`.
  OptionalTensor static_k{}, static_v{};
  bool average_attn_weights = true;  ///< returns the mean of the weights over the heads
  bool is_causal = false;            ///< asserts that `attn_mask` is the causal mask
};

/// Computes multi-head attention (Vaswani et al., 2017) of query `(L, N, E)`, key `(S, N, Ek)` and
/// value `(S, N, Ev)`, or of sequences without the batch dimension N. Returns the output in the
/// shape of the query and, if requested, the attention weights `(N, L, S)`, or `(N, num_heads, L,
/// S)` without averaging. Throws ShapeError if shapes do not match, ValueError or RuntimeError for
/// inconsistent or missing arguments. PyTorch: torch.nn.functional.multi_head_attention_forward.
std::pair<Tensor, Tensor> multi_head_attention_forward(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const MultiheadAttentionForwardFuncOptions& options);

}  // namespace nn::functional
}  // namespace taper
