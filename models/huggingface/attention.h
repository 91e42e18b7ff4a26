// Attention of the models: masks, and the attention function on separated heads.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/tensor.h"

namespace huggingface {

/// Keys that each query attends to.
struct AttentionMask {
  std::optional<taper::Tensor> allowed{};  ///< bool, broadcastable to `(N, heads, T, S)`
  bool is_causal = false;                  ///< query i attends to keys 0 to i
};

/// Returns the mask of a decoder for `length` new tokens after `past` cached ones. `attention_mask`
/// `(N, past + length)` is 0 for padding; undefined: no padding. Throws taper::ShapeError if it has
/// another shape. Hugging Face: create_causal_mask.
AttentionMask create_causal_mask(std::int64_t batch, std::int64_t length, std::int64_t past,
                                 const taper::Tensor& attention_mask);
/// Returns the mask of an encoder, which excludes the padding in `attention_mask` `(N, T)`. Hugging
/// Face: create_bidirectional_mask.
AttentionMask create_bidirectional_mask(std::int64_t batch, std::int64_t length,
                                        const taper::Tensor& attention_mask);

/// Splits the features `(N, T, heads * head_dim)` into heads: `(N, heads, T, head_dim)`.
taper::Tensor split_heads(const taper::Tensor& x, std::int64_t head_dim);

/// Computes softmax(q k^T * scaling + mask) v of queries `(N, heads, T, head_dim)`. Keys and values
/// may have fewer heads, each of which serves several consecutive heads of the queries. `dropout`
/// is the probability of dropping an attention weight. Returns the heads joined: `(N, T, heads *
/// head_dim)`.
taper::Tensor attend(const taper::Tensor& query, const taper::Tensor& key,
                     const taper::Tensor& value, const AttentionMask& mask, double scaling,
                     double dropout);

}  // namespace huggingface
