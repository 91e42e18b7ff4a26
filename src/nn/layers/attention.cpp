#include "taper/nn/attention.h"

#include "core/check.h"
#include "nn/functional/attention_mask.h"
#include "nn/registry/layer_schema.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/attention.h"
#include "taper/nn/init.h"

namespace taper::nn {

TAPER_DETAIL_LAYER_CLASS(NonDynamicallyQuantizableLinear) { Linear::visit_members(visitor); }
TAPER_DETAIL_LAYER_CALLS(NonDynamicallyQuantizableLinear)

// In PyTorch, the order of the parameters depends on the sizes, and absent bias_k and bias_v are
// plain attributes.
TAPER_DETAIL_LAYER_CLASS(MultiheadAttention) {
  if (qkv_same_embed_dim()) detail::visit(visitor, "in_proj_weight", in_proj_weight);
  detail::visit(visitor, "q_proj_weight", q_proj_weight);
  detail::visit(visitor, "k_proj_weight", k_proj_weight);
  detail::visit(visitor, "v_proj_weight", v_proj_weight);
  if (!qkv_same_embed_dim()) detail::visit(visitor, "in_proj_weight", in_proj_weight);
  detail::visit(visitor, "in_proj_bias", in_proj_bias);
  if (bias_k) detail::visit(visitor, "bias_k", bias_k);
  if (bias_v) detail::visit(visitor, "bias_v", bias_v);
  detail::visit(visitor, "out_proj", out_proj);
}
TAPER_DETAIL_LAYER_CALLS(MultiheadAttention)

namespace {

std::int64_t checked_size(std::int64_t embed_dim, std::int64_t heads) {
  if (embed_dim <= 0 || heads <= 0)
    fail<ValueError>(
        "embed_dim and num_heads must be greater than 0, got embed_dim={} and num_heads={} instead",
        embed_dim, heads);
  if (embed_dim % heads != 0)
    fail<ValueError>("embed_dim must be divisible by num_heads: got {} and {}", embed_dim, heads);
  return embed_dim;
}

std::int64_t checked_features(std::optional<std::int64_t> given, std::int64_t otherwise,
                              const char* name) {
  if (given && *given <= 0) fail<ValueError>("{} must be positive, got {}", name, *given);
  return given.value_or(otherwise);
}

}  // namespace

MultiheadAttention::MultiheadAttention(IntArg features, IntArg heads,
                                       const MultiheadAttentionOptions& o)
    : embed_dim(checked_size(features, heads)),
      kdim(checked_features(o.kdim, embed_dim, "kdim")),
      vdim(checked_features(o.vdim, embed_dim, "vdim")),
      num_heads(heads),
      dropout(o.dropout),
      batch_first(o.batch_first),
      head_dim(embed_dim / num_heads),
      add_zero_attn(o.add_zero_attn),
      out_proj(embed_dim, embed_dim, {.bias = o.bias, .dtype = o.dtype, .device = o.device}) {
  const auto make = [&](std::optional<Parameter>& into, const Shape& shape) {
    into.emplace(empty(shape, tensor_options(o)));
  };
  if (qkv_same_embed_dim()) {
    make(in_proj_weight, {3 * embed_dim, embed_dim});
  } else {
    make(q_proj_weight, {embed_dim, embed_dim});
    make(k_proj_weight, {embed_dim, kdim});
    make(v_proj_weight, {embed_dim, vdim});
  }
  if (o.bias) make(in_proj_bias, {3 * embed_dim});
  if (o.add_bias_kv) make(bias_k, {1, 1, embed_dim}), make(bias_v, {1, 1, embed_dim});
  reset_parameters();
}

void MultiheadAttention::reset_parameters() {
  for (std::optional<Parameter>* weight :
       {&in_proj_weight, &q_proj_weight, &k_proj_weight, &v_proj_weight})
    if (*weight) init::xavier_uniform_(**weight);
  if (in_proj_bias) {
    const NoGrad guard;
    in_proj_bias->zero_();
    out_proj.bias->zero_();
  }
  if (bias_k) init::xavier_normal_(*bias_k);
  if (bias_v) init::xavier_normal_(*bias_v);
}

std::pair<Tensor, Tensor> MultiheadAttention::forward(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const MultiheadAttentionForwardOptions& options) const {
  check_called();
  functional::MultiheadAttentionForwardFuncOptions o{
      .embed_dim_to_check = embed_dim,
      .num_heads = num_heads,
      .in_proj_weight = in_proj_weight,
      .in_proj_bias = in_proj_bias,
      .bias_k = bias_k,
      .bias_v = bias_v,
      .add_zero_attn = add_zero_attn,
      .dropout_p = dropout,
      .out_proj_weight = out_proj.weight,
      .out_proj_bias = out_proj.bias,
      .training = training,
      .key_padding_mask = options.key_padding_mask,
      .need_weights = options.need_weights,
      .attn_mask = options.attn_mask,
      .use_separate_proj_weight = !qkv_same_embed_dim(),
      .average_attn_weights = options.average_attn_weights,
      .is_causal = options.is_causal};
  if (o.use_separate_proj_weight)
    o.q_proj_weight = q_proj_weight, o.k_proj_weight = k_proj_weight,
    o.v_proj_weight = v_proj_weight;
  // Preserves the identity of the inputs, by which self-attention is detected.
  const bool transposed = batch_first && query.dim() == 3;
  const auto sequence_first = [&](const Tensor& x) {
    return transposed && x.dim() == 3 ? x.transpose(0, 1) : x;
  };
  const Tensor q = sequence_first(query);
  const Tensor k = key.is_same(query) ? q : sequence_first(key);
  const Tensor v = value.is_same(key) ? k : sequence_first(value);
  auto [output, weights] = functional::multi_head_attention_forward(q, k, v, o);
  return {transposed ? output.transpose(0, 1) : output, weights};
}

std::pair<Tensor, std::optional<std::int64_t>> MultiheadAttention::merge_masks(
    const Tensor& attn_mask, const Tensor& key_padding_mask, const Tensor& query) const {
  if (!attn_mask.defined()) {
    if (!key_padding_mask.defined()) return {Tensor(), std::nullopt};
    return {key_padding_mask, 1};
  }
  const std::int64_t batch = query.size(0), length = query.size(1);
  const Tensor mask =
      attn_mask.dim() == 3
          ? attn_mask.reshape({batch, -1, length, length})
          : attn_mask.reshape({1, 1, length, length}).expand({batch, num_heads, length, length});
  if (!key_padding_mask.defined()) return {mask, 2};
  const Tensor padding =
      key_padding_mask.reshape({batch, 1, 1, length}).expand({batch, num_heads, 1, length});
  return {mask + padding, 2};
}

TAPER_SCHEMA_AS(NonDynamicallyQuantizableLinear, LinearOptions, "linear", nullptr,
                kNothingDeprecated, in_features, out_features)

static MultiheadAttentionOptions stored_options(const MultiheadAttention& m) {
  return {.dropout = m.dropout,
          .bias = m.in_proj_bias.has_value(),
          .add_bias_kv = m.bias_k.has_value(),
          .add_zero_attn = m.add_zero_attn,
          .kdim = m.kdim,
          .vdim = m.vdim,
          .batch_first = m.batch_first};
}
TAPER_OPTIONS_SCHEMA(MultiheadAttention, "activation", embed_dim, num_heads)

}  // namespace taper::nn
