// Vision Transformer: "An Image is Worth 16x16 Words" (Dosovitskiy et al., 2020), with the names,
// keys and initial values of Hugging Face's transformers.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "huggingface/pretrained_model.h"
#include "taper/nn/conv.h"
#include "taper/nn/dropout.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"
#include "taper/nn/normalization.h"

namespace vit_hf {

using huggingface::ModelInputs;
using huggingface::ModelOutput;

/// Sizes and options of the Vision Transformer; the defaults are those of ViT-B/16. Hugging Face:
/// ViTConfig.
struct ViTConfig : huggingface::PretrainedConfig {
  std::int64_t hidden_size = 768, num_hidden_layers = 12, num_attention_heads = 12;
  std::int64_t intermediate_size = 3072, num_channels = 3,
               pooler_output_size = 0;  ///< 0: hidden_size
  taper::Shape image_size{224, 224}, patch_size{16, 16};
  std::string hidden_act = "gelu", pooler_act = "tanh";
  double hidden_dropout_prob = 0, attention_probs_dropout_prob = 0, layer_norm_eps = 1e-12;
  bool qkv_bias = true;

  /// Reads the options of a config.json. Throws taper::TypeError or taper::ValueError for values
  /// that are not valid.
  static ViTConfig from_value(const taper::Value& config);
  /// Returns the options as a dict, as in a config.json.
  taper::Value to_value() const;
  /// Calls `fields(key, field)` for each option that is not of PretrainedConfig, except the sizes
  /// of images and patches.
  template <class Fields> void visit(const Fields& fields) {
    fields("hidden_size", hidden_size)("num_hidden_layers", num_hidden_layers);
    fields("num_attention_heads", num_attention_heads)("intermediate_size", intermediate_size);
    fields("num_channels", num_channels)("pooler_output_size", pooler_output_size);
    fields("hidden_act", hidden_act)("pooler_act", pooler_act);
    fields("hidden_dropout_prob", hidden_dropout_prob);
    fields("attention_probs_dropout_prob", attention_probs_dropout_prob);
    fields("layer_norm_eps", layer_norm_eps)("qkv_bias", qkv_bias);
  }
};

/// Convolution whose kernel and stride are the size of a patch.
class ViTPatchEmbeddings : public taper::nn::Layer<ViTPatchEmbeddings> {
 public:
  explicit ViTPatchEmbeddings(const ViTConfig& config);
  taper::nn::Conv2d projection;
  TAPER_LAYER(ViTPatchEmbeddings)
  /// Projects the patches of images `(N, C, H, W)`: `(N, patches, hidden_size)`.
  taper::Tensor forward(const taper::Tensor& pixel_values) const;
};

/// Embeddings of the class token and the patches, with those of their positions.
class ViTEmbeddings : public taper::nn::Layer<ViTEmbeddings> {
 public:
  explicit ViTEmbeddings(const ViTConfig& config);
  taper::Shape image_size, patch_size;
  taper::nn::Parameter cls_token;
  ViTPatchEmbeddings patch_embeddings;
  taper::nn::Parameter position_embeddings;
  taper::nn::Dropout dropout;
  TAPER_LAYER(ViTEmbeddings)
  taper::Tensor forward(const taper::Tensor& pixel_values, bool interpolate) const;

 private:
  taper::Tensor interpolated_positions(std::int64_t height, std::int64_t width) const;
};

/// Self-attention of all patches and the class token.
class ViTAttention : public taper::nn::Layer<ViTAttention> {
 public:
  explicit ViTAttention(const ViTConfig& config);
  std::int64_t head_dim;
  double attention_dropout;
  taper::nn::Linear q_proj, k_proj, v_proj, o_proj;
  TAPER_LAYER(ViTAttention)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Computes fc2(activation_fn(fc1(x))).
class ViTMLP : public taper::nn::Layer<ViTMLP> {
 public:
  explicit ViTMLP(const ViTConfig& config);
  std::shared_ptr<taper::nn::Module> activation_fn;
  taper::nn::Linear fc1, fc2;
  TAPER_LAYER(ViTMLP)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Attention and MLP, each after a normalization and added to its input.
class ViTLayer : public taper::nn::Layer<ViTLayer> {
 public:
  explicit ViTLayer(const ViTConfig& config);
  ViTAttention attention;
  taper::nn::LayerNorm layernorm_before, layernorm_after;
  ViTMLP mlp;
  taper::nn::Dropout dropout;
  TAPER_LAYER(ViTLayer)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Projection of the class token.
class ViTPooler : public taper::nn::Layer<ViTPooler> {
 public:
  explicit ViTPooler(const ViTConfig& config);
  taper::nn::Linear dense;
  std::shared_ptr<taper::nn::Module> activation;
  TAPER_LAYER(ViTPooler)
  taper::Tensor forward(const taper::Tensor& hidden_states) const;
};

/// Vision Transformer without a head. The child `pooler`, a ViTPooler, is registered if
/// `add_pooling_layer` is set. Hugging Face: ViTModel.
class ViTModel : public huggingface::PreTrainedModel<ViTModel, ViTConfig> {
 public:
  explicit ViTModel(const ViTConfig& config, bool add_pooling_layer = true);
  ViTEmbeddings embeddings;
  taper::nn::ModuleList layers;
  taper::nn::LayerNorm layernorm;
  TAPER_LAYER(ViTModel)

  /// Returns `last_hidden_state` `(N, 1 + patches, hidden_size)` and `pooler_output` of images `(N,
  /// C, H, W)`. Hidden states are those before the final normalization. Throws taper::ShapeError
  /// for images of another size unless `interpolate_pos_encoding` is set.
  ModelOutput forward(const taper::Tensor& pixel_values, const ModelInputs& inputs = {}) const;
  static huggingface::CheckpointKeyMapping checkpoint_key_mapping(const ViTConfig& config);
  static void init_weights(taper::nn::Module& module, const huggingface::WeightInitializer& init);
};

/// Classifies images by the class token: logits `(N, num_labels)`. Hugging Face:
/// ViTForImageClassification.
class ViTForImageClassification
    : public huggingface::ModelWithHead<ViTForImageClassification, ViTModel> {
 public:
  explicit ViTForImageClassification(const ViTConfig& config);
  ViTModel vit;
  taper::nn::Linear classifier;
  TAPER_LAYER(ViTForImageClassification)

  /// Returns `logits` and, if labels are given, `loss`; see huggingface::classification_loss.
  /// Throws the errors of ViTModel.
  ModelOutput forward(const taper::Tensor& pixel_values, const ModelInputs& inputs = {}) const;
};

}  // namespace vit_hf
