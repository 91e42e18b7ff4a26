// Llama: "LLaMA: Open and Efficient Foundation Language Models" (Touvron et al., 2023) and its
// successors, with the names, keys and initial values of Hugging Face's transformers.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "generation/causal_lm.h"
#include "huggingface/attention.h"
#include "llama/rope.h"
#include "taper/nn/embedding.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"

namespace llama {

using huggingface::AttentionMask;
using huggingface::DynamicCache;
using huggingface::ModelInputs;
using huggingface::ModelOutput;

/// Sizes and options of Llama; the defaults are those of Llama 2 of 7 billion parameters. Hugging
/// Face: LlamaConfig.
struct LlamaConfig : huggingface::PretrainedConfig {
  std::int64_t vocab_size = 32000, hidden_size = 4096, intermediate_size = 11008;
  std::int64_t num_hidden_layers = 32, num_attention_heads = 32;
  std::int64_t num_key_value_heads = 0;  ///< 0: num_attention_heads
  std::int64_t head_dim = 0;             ///< 0: hidden_size / num_attention_heads
  std::int64_t max_position_embeddings = 2048;
  std::string hidden_act = "silu";
  double rms_norm_eps = 1e-6, attention_dropout = 0;
  bool attention_bias = false, mlp_bias = false;
  RopeParameters rope_parameters{};

  LlamaConfig();
  /// Reads the options of a config.json, as versions 4 and 5 of transformers write it. Throws
  /// taper::TypeError, taper::ValueError or taper::KeyError for values that are not valid.
  static LlamaConfig from_value(const taper::Value& config);
  /// Returns the options as a dict, as in a config.json.
  taper::Value to_value() const;
  /// Calls `fields(key, field)` for each option that is not of PretrainedConfig or of the rotary
  /// embedding.
  template <class Fields> void visit(const Fields& fields) {
    fields("vocab_size", vocab_size)("hidden_size", hidden_size);
    fields("intermediate_size", intermediate_size)("num_hidden_layers", num_hidden_layers);
    fields("num_attention_heads", num_attention_heads);
    fields("num_key_value_heads", num_key_value_heads)("head_dim", head_dim);
    fields("max_position_embeddings", max_position_embeddings)("hidden_act", hidden_act);
    fields("rms_norm_eps", rms_norm_eps)("attention_dropout", attention_dropout);
    fields("attention_bias", attention_bias)("mlp_bias", mlp_bias);
  }
  /// Replaces the sizes that are 0. Throws taper::ValueError if sizes do not divide each other.
  void resolve();
};

/// Divides the features by their root mean square, which is computed in f32, and multiplies them by
/// the weight (Zhang and Sennrich, 2019).
class LlamaRMSNorm : public taper::nn::Layer<LlamaRMSNorm> {
 public:
  LlamaRMSNorm(std::int64_t hidden_size, double eps);
  double variance_epsilon;
  taper::nn::Parameter weight;
  TAPER_LAYER(LlamaRMSNorm)
  taper::Tensor forward(const taper::Tensor& x) const;
  std::string extra_repr() const override;
};

/// Causal self-attention with rotary positions; several heads of queries may share one of keys and
/// values (Ainslie et al., 2023).
class LlamaAttention : public taper::nn::Layer<LlamaAttention> {
 public:
  LlamaAttention(const LlamaConfig& config, std::int64_t layer_idx);
  std::int64_t head_dim, layer_idx;
  double attention_dropout;
  taper::nn::Linear q_proj, k_proj, v_proj, o_proj;
  TAPER_LAYER(LlamaAttention)
  taper::Tensor forward(const taper::Tensor& x, const Rotation& rotation, const AttentionMask& mask,
                        DynamicCache* cache) const;
};

/// SwiGLU: down_proj(act_fn(gate_proj(x)) * up_proj(x)) (Shazeer, 2020).
class LlamaMLP : public taper::nn::Layer<LlamaMLP> {
 public:
  explicit LlamaMLP(const LlamaConfig& config);
  taper::nn::Linear gate_proj, up_proj, down_proj;
  std::shared_ptr<taper::nn::Module> act_fn;
  TAPER_LAYER(LlamaMLP)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Attention and MLP, each after a normalization and added to its input.
class LlamaDecoderLayer : public taper::nn::Layer<LlamaDecoderLayer> {
 public:
  LlamaDecoderLayer(const LlamaConfig& config, std::int64_t layer_idx);
  LlamaAttention self_attn;
  LlamaMLP mlp;
  LlamaRMSNorm input_layernorm, post_attention_layernorm;
  TAPER_LAYER(LlamaDecoderLayer)
  taper::Tensor forward(const taper::Tensor& x, const Rotation& rotation, const AttentionMask& mask,
                        DynamicCache* cache) const;
};

/// Llama without a head: token ids `(N, T)` to hidden states. Hugging Face: LlamaModel.
class LlamaModel : public huggingface::PreTrainedModel<LlamaModel, LlamaConfig> {
 public:
  /// Throws taper::ValueError for sizes that do not match.
  explicit LlamaModel(LlamaConfig config);
  taper::nn::Embedding embed_tokens;
  taper::nn::ModuleList layers;
  LlamaRMSNorm norm;
  LlamaRotaryEmbedding rotary_emb;
  TAPER_LAYER(LlamaModel)

  /// Returns `last_hidden_state`. Throws taper::ShapeError or taper::ValueError for inputs that do
  /// not match, taper::IndexError for ids out of range.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
  static huggingface::CheckpointKeyMapping checkpoint_key_mapping(const LlamaConfig& config);
  static void init_weights(taper::nn::Module& module, const huggingface::WeightInitializer& init);
};

/// Llama with a language modeling head. Hugging Face: LlamaForCausalLM.
class LlamaForCausalLM : public generation::CausalLM<LlamaForCausalLM, LlamaModel> {
 public:
  explicit LlamaForCausalLM(const LlamaConfig& config);
  LlamaModel model;
  taper::nn::Linear lm_head;
  TAPER_LAYER(LlamaForCausalLM)

  /// Returns `logits` and, if labels are given, `loss`, the cross entropy of the next tokens.
  /// Throws the errors of LlamaModel.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
  static huggingface::CheckpointKeyMapping checkpoint_key_mapping(const LlamaConfig& config);
};

}  // namespace llama
