#include "huggingface/attention.h"

#include <string>

#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/attention.h"

namespace huggingface {

using namespace taper;

namespace {

/// Returns the keys that are not padding, `(N, 1, 1, S)`; undefined if none is.
Tensor keys_without_padding(std::int64_t batch, std::int64_t keys, const Tensor& attention_mask) {
  if (!attention_mask.defined()) return {};
  if (attention_mask.shape() != Shape{batch, keys})
    throw ShapeError("attention_mask must have the shape " + Shape{batch, keys}.str() +
                     " of all tokens, including cached ones, got " + attention_mask.shape().str());
  const Tensor visible = attention_mask.ne(0);
  if (visible.all().item<bool>()) return {};
  return visible.view({batch, 1, 1, keys});
}

}  // namespace

AttentionMask create_causal_mask(std::int64_t batch, std::int64_t length, std::int64_t past,
                                 const Tensor& attention_mask) {
  const Tensor visible = keys_without_padding(batch, past + length, attention_mask);
  if (length == 1) return visible.defined() ? AttentionMask{visible} : AttentionMask{};
  if (!visible.defined() && past == 0) return {.is_causal = true};
  const Tensor causal = ones({length, past + length}, {.dtype = DType::bool_}).tril(past);
  return {visible.defined() ? causal.logical_and(visible) : causal};
}

AttentionMask create_bidirectional_mask(std::int64_t batch, std::int64_t length,
                                        const Tensor& attention_mask) {
  const Tensor visible = keys_without_padding(batch, length, attention_mask);
  return visible.defined() ? AttentionMask{visible} : AttentionMask{};
}

Tensor split_heads(const Tensor& x, std::int64_t head_dim) {
  return x.view({x.size(0), x.size(1), -1, head_dim}).transpose(1, 2);
}

Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value,
              const AttentionMask& mask, double scaling, double dropout) {
  const Tensor joined =
      nn::functional::scaled_dot_product_attention(query, key, value,
                                                   {.attn_mask = mask.allowed,
                                                    .dropout_p = dropout,
                                                    .is_causal = mask.is_causal,
                                                    .scale = scaling,
                                                    .enable_gqa = query.size(1) != key.size(1)});
  return joined.transpose(1, 2).reshape({query.size(0), query.size(2), -1});
}

}  // namespace huggingface
