#include "llama/llama.h"

#include <cmath>

#include "huggingface/activations.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace llama {

using namespace taper;
using huggingface::attend;
using huggingface::CheckpointKeyMapping;
using huggingface::split_heads;
using huggingface::WeightInitializer;

TAPER_LAYER_MEMBERS(LlamaRMSNorm, weight)
TAPER_LAYER_MEMBERS(LlamaAttention, q_proj, k_proj, v_proj, o_proj)
TAPER_LAYER_MEMBERS(LlamaMLP, gate_proj, up_proj, down_proj, act_fn)
TAPER_LAYER_MEMBERS(LlamaDecoderLayer, self_attn, mlp, input_layernorm, post_attention_layernorm)
TAPER_LAYER_MEMBERS(LlamaModel, embed_tokens, layers, norm, rotary_emb)
TAPER_LAYER_MEMBERS(LlamaForCausalLM, model, lm_head)

LlamaRMSNorm::LlamaRMSNorm(std::int64_t hidden_size, double eps)
    : variance_epsilon(eps), weight(ones({hidden_size})) {}

Tensor LlamaRMSNorm::forward(const Tensor& x) const {
  const Tensor wide = x.to(DType::f32);
  const Tensor variance = wide.square().mean({-1}, true);
  return weight * (wide * rsqrt(variance + variance_epsilon)).to(x.dtype());
}

std::string LlamaRMSNorm::extra_repr() const {
  return "(" + std::to_string(weight.size(0)) + ",), eps=" + Scalar(variance_epsilon).str();
}

LlamaAttention::LlamaAttention(const LlamaConfig& c, std::int64_t index)
    : head_dim(c.head_dim),
      layer_idx(index),
      attention_dropout(c.attention_dropout),
      q_proj(c.hidden_size, c.num_attention_heads * c.head_dim, {.bias = c.attention_bias}),
      k_proj(c.hidden_size, c.num_key_value_heads * c.head_dim, {.bias = c.attention_bias}),
      v_proj(c.hidden_size, c.num_key_value_heads * c.head_dim, {.bias = c.attention_bias}),
      o_proj(c.num_attention_heads * c.head_dim, c.hidden_size, {.bias = c.attention_bias}) {}

Tensor LlamaAttention::forward(const Tensor& x, const Rotation& rotate, const AttentionMask& mask,
                               DynamicCache* cache) const {
  const Tensor query = rotate(split_heads(q_proj(x), head_dim));
  Tensor key = rotate(split_heads(k_proj(x), head_dim));
  Tensor value = split_heads(v_proj(x), head_dim);
  if (cache) std::tie(key, value) = cache->update(key, value, static_cast<std::size_t>(layer_idx));
  const double scaling = 1 / std::sqrt(static_cast<double>(head_dim));
  return o_proj(attend(query, key, value, mask, scaling, training ? attention_dropout : 0));
}

LlamaMLP::LlamaMLP(const LlamaConfig& c)
    : gate_proj(c.hidden_size, c.intermediate_size, {.bias = c.mlp_bias}),
      up_proj(c.hidden_size, c.intermediate_size, {.bias = c.mlp_bias}),
      down_proj(c.intermediate_size, c.hidden_size, {.bias = c.mlp_bias}),
      act_fn(huggingface::make_activation(c.hidden_act)) {}

Tensor LlamaMLP::forward(const Tensor& x) const {
  const Tensor gate = (*act_fn)(gate_proj(x));
  return down_proj(gate * up_proj(x));
}

LlamaDecoderLayer::LlamaDecoderLayer(const LlamaConfig& c, std::int64_t layer_idx)
    : self_attn(c, layer_idx),
      mlp(c),
      input_layernorm(c.hidden_size, c.rms_norm_eps),
      post_attention_layernorm(c.hidden_size, c.rms_norm_eps) {}

Tensor LlamaDecoderLayer::forward(const Tensor& x, const Rotation& rotation,
                                  const AttentionMask& mask, DynamicCache* cache) const {
  const Tensor attended = x + self_attn(input_layernorm(x), rotation, mask, cache);
  return attended + mlp(post_attention_layernorm(attended));
}

namespace {

LlamaConfig resolved(LlamaConfig config) {
  config.resolve();
  return config;
}

nn::ModuleList make_layers(const LlamaConfig& c) {
  nn::ModuleList layers;
  for (std::int64_t i = 0; i < c.num_hidden_layers; ++i) layers.append(LlamaDecoderLayer(c, i));
  return layers;
}

}  // namespace

LlamaModel::LlamaModel(LlamaConfig c)
    : PreTrainedModel(resolved(std::move(c))),
      embed_tokens(config.vocab_size, config.hidden_size, {.padding_idx = config.pad_token_id}),
      layers(make_layers(config)),
      norm(config.hidden_size, config.rms_norm_eps),
      rotary_emb(config.rope_parameters, config.head_dim, config.max_position_embeddings) {
  const WeightInitializer init(config.initializer_range);
  apply([&](nn::Module& module) { init_weights(module, init); });
}

ModelOutput LlamaModel::forward(const Tensor& input_ids, const ModelInputs& inputs) const {
  const auto [rows, tokens] = huggingface::size_of_inputs(input_ids, inputs);
  if (inputs.token_type_ids.defined())
    throw ValueError("LlamaModel: a Llama does not use token_type_ids");
  DynamicCache* const cache = inputs.past_key_values;
  const std::int64_t past = cache ? cache->get_seq_length() : 0;
  Tensor hidden = input_ids.defined() ? embed_tokens(input_ids) : inputs.inputs_embeds;
  const Rotation rotation =
      rotary_emb(inputs.position_ids.defined() ? inputs.position_ids
                                               : huggingface::default_positions(tokens, past),
                 hidden.dtype());
  const AttentionMask mask =
      huggingface::create_causal_mask(rows, tokens, past, inputs.attention_mask);

  ModelOutput out;
  for (nn::Module& layer : layers) {
    if (inputs.output_hidden_states) out.hidden_states.push_back(hidden);
    hidden = huggingface::layer_as<LlamaDecoderLayer>(layer)(hidden, rotation, mask, cache);
  }
  out.last_hidden_state = norm(hidden);
  if (inputs.output_hidden_states) out.hidden_states.push_back(out.last_hidden_state);
  return out;
}

void LlamaModel::init_weights(nn::Module& module, const WeightInitializer& init) {
  init(module);
  if (const auto norm = module.as<LlamaRMSNorm>()) init.ones_(norm->weight);
}

LlamaForCausalLM::LlamaForCausalLM(const LlamaConfig& c)
    : CausalLM(resolved(c)), model(c), lm_head(c.hidden_size, c.vocab_size, {.bias = false}) {
  WeightInitializer init(c.initializer_range);
  init(lm_head);
  if (c.tie_word_embeddings) lm_head.weight = model.embed_tokens.weight;
}

ModelOutput LlamaForCausalLM::forward(const Tensor& input_ids, const ModelInputs& inputs) const {
  ModelOutput out = model(input_ids, inputs);
  out.logits = lm_head(huggingface::keep_last(out.last_hidden_state, inputs.logits_to_keep));
  if (inputs.labels.defined()) out.loss = huggingface::causal_lm_loss(out.logits, inputs.labels);
  return out;
}

}  // namespace llama
