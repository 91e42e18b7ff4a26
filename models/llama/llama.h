// Llama: "LLaMA: Open and Efficient Foundation Language Models" (Touvron et al., 2023) and its
// successors, with the names, keys and initial values of Hugging Face's transformers.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "generation/generate.h"
#include "huggingface/attention.h"
#include "huggingface/model.h"
#include "huggingface/pretrained.h"
#include "llama/rope.h"
#include "taper/nn/embedding.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"

namespace llama {

using generation::GenerateReport;
using generation::GenerationConfig;
using huggingface::AttentionMask;
using huggingface::DynamicCache;
using huggingface::FromPretrainedOptions;
using huggingface::ModelInputs;
using huggingface::ModelOutput;
using huggingface::SavePretrainedOptions;

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
class LlamaModel : public taper::nn::Layer<LlamaModel> {
 public:
  using Config = LlamaConfig;
  /// Throws taper::ValueError for sizes that do not match.
  explicit LlamaModel(LlamaConfig config);
  LlamaConfig config;
  taper::nn::Embedding embed_tokens;
  taper::nn::ModuleList layers;
  LlamaRMSNorm norm;
  LlamaRotaryEmbedding rotary_emb;
  TAPER_LAYER(LlamaModel)

  /// Returns `last_hidden_state`. Throws taper::ShapeError or taper::ValueError for inputs that do
  /// not match, taper::IndexError for ids out of range.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
  ModelOutput operator()(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const {
    return Layer::operator()(input_ids, inputs);
  }
  /// Loads a folder that Hugging Face's save_pretrained wrote. Throws taper::IoError if a file is
  /// missing or invalid, and the errors of the configuration.
  static LlamaModel from_pretrained(const std::string& folder,
                                    const FromPretrainedOptions& options = {});
  /// Writes a folder that from_pretrained loads, in both languages. Throws taper::IoError if
  /// writing fails.
  void save_pretrained(const std::string& folder, const SavePretrainedOptions& options = {}) const;
  static huggingface::WeightLayout weight_layout(const LlamaConfig& config);
  static void init_weights(taper::nn::Module& module, const huggingface::WeightInitializer& init);
};

/// Llama with a language modeling head. Hugging Face: LlamaForCausalLM.
class LlamaForCausalLM : public taper::nn::Layer<LlamaForCausalLM> {
 public:
  using Config = LlamaConfig;
  explicit LlamaForCausalLM(const LlamaConfig& config);
  GenerationConfig generation_config;  ///< defaults of `generate`
  LlamaModel model;
  taper::nn::Linear lm_head;
  TAPER_LAYER(LlamaForCausalLM)

  const LlamaConfig& config() const { return model.config; }
  /// Returns `logits` and, if labels are given, `loss`, the cross entropy of the next tokens.
  /// Throws the errors of LlamaModel.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
  ModelOutput operator()(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const {
    return Layer::operator()(input_ids, inputs);
  }
  /// Continues the prompts; see generation::generate.
  taper::Tensor generate(const taper::Tensor& input_ids, const GenerationConfig& options = {},
                         const taper::Tensor& attention_mask = {},
                         GenerateReport* report = nullptr) const;
  /// As LlamaModel::from_pretrained; also reads generation_config.json.
  static LlamaForCausalLM from_pretrained(const std::string& folder,
                                          const FromPretrainedOptions& options = {});
  /// As LlamaModel::save_pretrained; also writes generation_config.json.
  void save_pretrained(const std::string& folder, const SavePretrainedOptions& options = {}) const;
  static huggingface::WeightLayout weight_layout(const LlamaConfig& config);
  static void init_weights(taper::nn::Module& module, const huggingface::WeightInitializer& init) {
    LlamaModel::init_weights(module, init);
  }
};

}  // namespace llama
