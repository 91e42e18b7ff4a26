// GPT-2: "Language Models are Unsupervised Multitask Learners" (Radford et al., 2019), with the
// names, keys and initial values of Hugging Face's transformers.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "generation/causal_lm.h"
#include "huggingface/attention.h"
#include "taper/nn/dropout.h"
#include "taper/nn/embedding.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"
#include "taper/nn/normalization.h"

namespace gpt2 {

using huggingface::AttentionMask;
using huggingface::DynamicCache;
using huggingface::ModelInputs;
using huggingface::ModelOutput;

/// Sizes and options of GPT-2; the defaults are those of the model of 124 million parameters.
/// Hugging Face: GPT2Config.
struct GPT2Config : huggingface::PretrainedConfig {
  std::int64_t vocab_size = 50257, n_positions = 1024, n_embd = 768, n_layer = 12, n_head = 12;
  std::optional<std::int64_t> n_inner{};  ///< features inside an MLP; default: 4 n_embd
  std::string activation_function = "gelu_new";
  double resid_pdrop = 0.1, embd_pdrop = 0.1, attn_pdrop = 0.1;
  double layer_norm_epsilon = 1e-5;
  bool scale_attn_weights = true;                ///< divides scores by the square root of head size
  bool scale_attn_by_inverse_layer_idx = false;  ///< also divides scores by layer_idx + 1

  GPT2Config();
  /// Returns the standard deviation of the initial output projections of residual branches:
  /// `initializer_range` divided by the square root of the number of branches (section 2.3 of the
  /// paper).
  double residual_std() const;
  /// Reads the options of a config.json. Throws taper::TypeError or taper::ValueError for values
  /// that are not valid.
  static GPT2Config from_value(const taper::Value& config);
  /// Returns the options as a dict, as in a config.json.
  taper::Value to_value() const;
  /// Calls `fields(key, field)` for each option that is not of PretrainedConfig.
  template <class Fields> void visit(const Fields& fields) {
    fields("vocab_size", vocab_size)("n_positions", n_positions)("n_embd", n_embd);
    fields("n_layer", n_layer)("n_head", n_head)("n_inner", n_inner);
    fields("activation_function", activation_function)("resid_pdrop", resid_pdrop);
    fields("embd_pdrop", embd_pdrop)("attn_pdrop", attn_pdrop);
    fields("layer_norm_epsilon", layer_norm_epsilon)("scale_attn_weights", scale_attn_weights);
    fields("scale_attn_by_inverse_layer_idx", scale_attn_by_inverse_layer_idx);
  }
};

/// Linear layer whose weight is stored transposed, `(nx, nf)`: y = x W + b. Hugging Face: Conv1D.
class Conv1D : public taper::nn::Layer<Conv1D> {
 public:
  Conv1D(std::int64_t nf, std::int64_t nx);
  std::int64_t nf, nx;
  taper::nn::Parameter weight, bias;
  TAPER_LAYER(Conv1D)
  taper::Tensor forward(const taper::Tensor& x) const;
  std::string extra_repr() const override;
};

/// Causal self-attention.
class GPT2Attention : public taper::nn::Layer<GPT2Attention> {
 public:
  GPT2Attention(const GPT2Config& config, std::int64_t layer_idx);
  std::int64_t head_dim, layer_idx;
  double scaling, residual_std;
  Conv1D c_attn, c_proj;
  taper::nn::Dropout attn_dropout, resid_dropout;
  TAPER_LAYER(GPT2Attention)
  taper::Tensor forward(const taper::Tensor& x, const AttentionMask& mask,
                        DynamicCache* cache) const;
};

/// Computes dropout(c_proj(act(c_fc(x)))).
class GPT2MLP : public taper::nn::Layer<GPT2MLP> {
 public:
  GPT2MLP(std::int64_t intermediate_size, const GPT2Config& config);
  double residual_std;
  Conv1D c_fc, c_proj;
  std::shared_ptr<taper::nn::Module> act;
  taper::nn::Dropout dropout;
  TAPER_LAYER(GPT2MLP)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Attention and MLP, each after a normalization and added to its input.
class GPT2Block : public taper::nn::Layer<GPT2Block> {
 public:
  GPT2Block(const GPT2Config& config, std::int64_t layer_idx);
  taper::nn::LayerNorm ln_1;
  GPT2Attention attn;
  taper::nn::LayerNorm ln_2;
  GPT2MLP mlp;
  TAPER_LAYER(GPT2Block)
  taper::Tensor forward(const taper::Tensor& x, const AttentionMask& mask,
                        DynamicCache* cache) const;
};

/// GPT-2 without a head: token ids `(N, T)` to hidden states. Hugging Face: GPT2Model.
class GPT2Model : public huggingface::PreTrainedModel<GPT2Model, GPT2Config> {
 public:
  explicit GPT2Model(const GPT2Config& config);
  taper::nn::Embedding wte, wpe;  ///< token and position embeddings
  taper::nn::Dropout drop;
  taper::nn::ModuleList h;
  taper::nn::LayerNorm ln_f;
  TAPER_LAYER(GPT2Model)

  /// Returns `last_hidden_state`. Throws taper::ShapeError or taper::ValueError for inputs that do
  /// not match, taper::IndexError for ids out of range.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
  static huggingface::CheckpointKeyMapping checkpoint_key_mapping(const GPT2Config& config);
  static void init_weights(taper::nn::Module& module, const huggingface::WeightInitializer& init);
};

/// GPT-2 with a language modeling head, which is tied to the embeddings by default. Hugging Face:
/// GPT2LMHeadModel.
class GPT2LMHeadModel : public generation::CausalLM<GPT2LMHeadModel, GPT2Model> {
 public:
  explicit GPT2LMHeadModel(const GPT2Config& config);
  GPT2Model transformer;
  taper::nn::Linear lm_head;
  TAPER_LAYER(GPT2LMHeadModel)

  /// Returns `logits` and, if labels are given, `loss`, the cross entropy of the next tokens.
  /// Throws the errors of GPT2Model.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
  static huggingface::CheckpointKeyMapping checkpoint_key_mapping(const GPT2Config& config);
};

}  // namespace gpt2
