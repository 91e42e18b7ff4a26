// Multi-head attention.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/linear.h"

namespace TAPER_API taper {
namespace nn {

/// Linear layer of the output projection of MultiheadAttention.
/// PyTorch: torch.nn.modules.linear.NonDynamicallyQuantizableLinear.
class NonDynamicallyQuantizableLinear : public Layer<NonDynamicallyQuantizableLinear, Linear> {
 public:
  NonDynamicallyQuantizableLinear(IntArg in, IntArg out, const LinearOptions& options = {})
      : Layer(in, out, options) {}
  TAPER_LAYER(NonDynamicallyQuantizableLinear)
};

/// Options of MultiheadAttention.
struct MultiheadAttentionOptions {
  FloatArg dropout = 0;        ///< probability of dropping an attention weight in training
  bool bias = true;            ///< adds a bias to the input and output projections
  bool add_bias_kv = false;    ///< appends a learned key and value to each sequence
  bool add_zero_attn = false;  ///< appends a key and value of zeros to each sequence
  std::optional<IntArg> kdim{}, vdim{};  ///< features of keys and values; default: embed_dim
  bool batch_first = false;              ///< batched inputs are `(N, L, E)` instead of `(L, N, E)`
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(dropout, bias, add_bias_kv, add_zero_attn, kdim, vdim, batch_first)
};

/// Optional arguments of the forward of MultiheadAttention.
struct MultiheadAttentionForwardOptions {
  /// Keys to exclude, `(N, S)` or `(S)`: true, or a value that is added to the scores.
  OptionalTensor key_padding_mask{};
  bool need_weights = true;  ///< also returns the attention weights
  /// Pairs to exclude, `(L, S)` or `(N * num_heads, L, S)`: true, or a value that is added to the
  /// scores.
  OptionalTensor attn_mask{};
  bool average_attn_weights = true;  ///< returns the mean of the weights over the heads
  bool is_causal = false;            ///< asserts that attn_mask is the causal mask
  TAPER_OPTIONS(key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal)
};

/// Multi-head attention (Vaswani et al., 2017): projects query, key and value to `num_heads` heads
/// of embed_dim / num_heads features, computes softmax(q k^T / sqrt(features) + mask) v for each,
/// and projects the concatenated heads. PyTorch: torch.nn.MultiheadAttention.
///
/// in_proj_weight `(3 E, E)` is initialized from xavier_uniform_; if kdim or vdim differ from E,
/// q_proj_weight `(E, E)`, k_proj_weight `(E, kdim)` and v_proj_weight `(E, vdim)` take its place.
/// in_proj_bias `(3 E)` and out_proj.bias `(E)` are initialized to 0, bias_k and bias_v `(1, 1, E)`
/// from xavier_normal_, out_proj.weight `(E, E)` as that of Linear.
///
///   nn::MultiheadAttention attention(64, 8, {.batch_first = true});
///   auto [output, weights] = attention(x, x, x);
class MultiheadAttention : public Layer<MultiheadAttention> {
 public:
  /// Throws ValueError unless embed_dim and num_heads are positive and num_heads divides embed_dim.
  MultiheadAttention(IntArg embed_dim, IntArg num_heads,
                     const MultiheadAttentionOptions& options = {});

  std::int64_t embed_dim, kdim, vdim, num_heads;
  double dropout;
  bool batch_first;
  std::int64_t head_dim;
  bool add_zero_attn;
  std::optional<Parameter> q_proj_weight, k_proj_weight, v_proj_weight, in_proj_weight,
      in_proj_bias, bias_k, bias_v;
  NonDynamicallyQuantizableLinear out_proj;
  TAPER_LAYER(MultiheadAttention)

  /// Returns true if query, key and value share one projection weight.
  bool qkv_same_embed_dim() const { return kdim == embed_dim && vdim == embed_dim; }
  /// Returns the output for query `(L, N, E)`, key `(S, N, kdim)` and value `(S, N, vdim)`, or for
  /// sequences without N; with `need_weights`, also the attention weights `(N, L, S)`, or
  /// `(N, num_heads, L, S)` unless they are averaged over the heads. Throws the errors of
  /// functional::multi_head_attention_forward.
  std::pair<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const MultiheadAttentionForwardOptions& options = {}) const;
  static constexpr const char* forward_signature =
      "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
      "average_attn_weights=True, is_causal=False";
  /// Combines the masks, to be added to the scores of `query` `(N, L, E)`. Returns the combined
  /// mask and its kind: 1 for a key_padding_mask only, 2 for a mask `(N, num_heads, L, S)`; without
  /// masks, an undefined tensor and std::nullopt.
  std::pair<Tensor, std::optional<std::int64_t>> merge_masks(const Tensor& attn_mask,
                                                             const Tensor& key_padding_mask,
                                                             const Tensor& query) const;

 private:
  void reset_parameters();
};

}  // namespace nn
}  // namespace taper
