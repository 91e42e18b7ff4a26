// BERT: "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding" (Devlin
// et al., 2018), with the names, keys and initial values of Hugging Face's transformers.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "huggingface/attention.h"
#include "huggingface/pretrained_model.h"
#include "taper/nn/activation.h"
#include "taper/nn/dropout.h"
#include "taper/nn/embedding.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"
#include "taper/nn/normalization.h"

namespace bert {

using huggingface::AttentionMask;
using huggingface::ModelInputs;
using huggingface::ModelOutput;

/// Sizes and options of BERT; the defaults are those of BERT base. Hugging Face: BertConfig.
struct BertConfig : huggingface::PretrainedConfig {
  std::int64_t vocab_size = 30522, hidden_size = 768, num_hidden_layers = 12;
  std::int64_t num_attention_heads = 12, intermediate_size = 3072;
  std::int64_t max_position_embeddings = 512, type_vocab_size = 2;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0.1, attention_probs_dropout_prob = 0.1, layer_norm_eps = 1e-12;
  std::optional<double> classifier_dropout{};  ///< default: hidden_dropout_prob

  BertConfig();
  /// Reads the options of a config.json. Throws taper::TypeError or taper::ValueError for values
  /// that are not valid.
  static BertConfig from_value(const taper::Value& config);
  /// Returns the options as a dict, as in a config.json.
  taper::Value to_value() const;
  /// Calls `fields(key, field)` for each option that is not of PretrainedConfig.
  template <class Fields> void visit(const Fields& fields) {
    fields("vocab_size", vocab_size)("hidden_size", hidden_size);
    fields("num_hidden_layers", num_hidden_layers)("num_attention_heads", num_attention_heads);
    fields("intermediate_size", intermediate_size)("hidden_act", hidden_act);
    fields("max_position_embeddings", max_position_embeddings);
    fields("type_vocab_size", type_vocab_size)("hidden_dropout_prob", hidden_dropout_prob);
    fields("attention_probs_dropout_prob", attention_probs_dropout_prob);
    fields("layer_norm_eps", layer_norm_eps)("classifier_dropout", classifier_dropout);
  }
};

/// Sum of the embeddings of tokens, segments and positions.
class BertEmbeddings : public taper::nn::Layer<BertEmbeddings> {
 public:
  explicit BertEmbeddings(const BertConfig& config);
  taper::nn::Embedding word_embeddings, position_embeddings, token_type_embeddings;
  taper::nn::LayerNorm LayerNorm;
  taper::nn::Dropout dropout;
  taper::nn::Buffer position_ids, token_type_ids;  ///< defaults `(1, length)`, non-persistent
  TAPER_LAYER(BertEmbeddings)
  taper::Tensor forward(const taper::Tensor& input_ids, const ModelInputs& inputs,
                        std::int64_t tokens) const;
};

/// Self-attention in both directions; returns the joined heads.
class BertSelfAttention : public taper::nn::Layer<BertSelfAttention> {
 public:
  explicit BertSelfAttention(const BertConfig& config);
  std::int64_t head_dim;
  taper::nn::Linear query, key, value;
  taper::nn::Dropout dropout;
  TAPER_LAYER(BertSelfAttention)
  taper::Tensor forward(const taper::Tensor& x, const AttentionMask& mask) const;
};

/// Computes LayerNorm(dropout(dense(x)) + input).
class BertSelfOutput : public taper::nn::Layer<BertSelfOutput> {
 public:
  BertSelfOutput(std::int64_t features, const BertConfig& config);
  taper::nn::Linear dense;
  taper::nn::LayerNorm LayerNorm;
  taper::nn::Dropout dropout;
  TAPER_LAYER(BertSelfOutput)
  taper::Tensor forward(const taper::Tensor& x, const taper::Tensor& input) const;
};

/// As BertSelfOutput, for the feedforward layers.
class BertOutput : public taper::nn::Layer<BertOutput, BertSelfOutput> {
 public:
  using Layer::Layer;
  TAPER_LAYER(BertOutput)
};

/// Self-attention, its projection, and the normalized sum with the input.
class BertAttention : public taper::nn::Layer<BertAttention> {
 public:
  explicit BertAttention(const BertConfig& config);
  BertSelfAttention self;
  BertSelfOutput output;
  TAPER_LAYER(BertAttention)
  taper::Tensor forward(const taper::Tensor& x, const AttentionMask& mask) const;
};

/// The first feedforward layer, with the activation.
class BertIntermediate : public taper::nn::Layer<BertIntermediate> {
 public:
  explicit BertIntermediate(const BertConfig& config);
  taper::nn::Linear dense;
  std::shared_ptr<taper::nn::Module> intermediate_act_fn;
  TAPER_LAYER(BertIntermediate)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Attention and two feedforward layers, each normalized after the sum with its input.
class BertLayer : public taper::nn::Layer<BertLayer> {
 public:
  explicit BertLayer(const BertConfig& config);
  BertAttention attention;
  BertIntermediate intermediate;
  BertOutput output;
  TAPER_LAYER(BertLayer)
  taper::Tensor forward(const taper::Tensor& x, const AttentionMask& mask) const;
};

/// All layers, applied in order.
class BertEncoder : public taper::nn::Layer<BertEncoder> {
 public:
  explicit BertEncoder(const BertConfig& config);
  taper::nn::ModuleList layer;
  TAPER_LAYER(BertEncoder)
  /// Appends the output of each layer to `hidden_states` unless it is null.
  taper::Tensor forward(taper::Tensor x, const AttentionMask& mask,
                        std::vector<taper::Tensor>* hidden_states) const;
};

/// Projection of the first token.
class BertPooler : public taper::nn::Layer<BertPooler> {
 public:
  explicit BertPooler(const BertConfig& config);
  taper::nn::Linear dense;
  taper::nn::Tanh activation;
  TAPER_LAYER(BertPooler)
  taper::Tensor forward(const taper::Tensor& hidden_states) const;
};

/// BERT without a head: token ids `(N, T)` to hidden states. The child `pooler`, a BertPooler, is
/// registered if `add_pooling_layer` is set. Hugging Face: BertModel.
class BertModel : public huggingface::PreTrainedModel<BertModel, BertConfig> {
 public:
  explicit BertModel(const BertConfig& config, bool add_pooling_layer = true);
  BertEmbeddings embeddings;
  BertEncoder encoder;
  TAPER_LAYER(BertModel)

  /// Returns `last_hidden_state` and `pooler_output`. Throws taper::ShapeError or taper::ValueError
  /// for inputs that do not match, taper::IndexError for ids out of range.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
  static huggingface::CheckpointKeyMapping checkpoint_key_mapping(const BertConfig& config);
  static void init_weights(taper::nn::Module& module, const huggingface::WeightInitializer& init);
};

}  // namespace bert
