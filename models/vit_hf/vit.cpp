#include "vit_hf/vit.h"

#include <cmath>

#include "huggingface/activations.h"
#include "huggingface/attention.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/spatial.h"

namespace vit_hf {

using namespace taper;
using huggingface::CheckpointKeyMapping;
using huggingface::split_heads;
using huggingface::WeightInitializer;

TAPER_LAYER_MEMBERS(ViTPatchEmbeddings, projection)
TAPER_LAYER_MEMBERS(ViTEmbeddings, cls_token, position_embeddings, patch_embeddings, dropout)
TAPER_LAYER_MEMBERS(ViTAttention, q_proj, k_proj, v_proj, o_proj)
TAPER_LAYER_MEMBERS(ViTMLP, activation_fn, fc1, fc2)
TAPER_LAYER_MEMBERS(ViTLayer, attention, layernorm_before, layernorm_after, mlp, dropout)
TAPER_LAYER_MEMBERS(ViTPooler, dense, activation)
TAPER_LAYER_MEMBERS(ViTModel, embeddings, layers, layernorm)
TAPER_LAYER_MEMBERS(ViTForImageClassification, vit, classifier)

ViTPatchEmbeddings::ViTPatchEmbeddings(const ViTConfig& c)
    : projection(c.num_channels, c.hidden_size, c.patch_size, {.stride = c.patch_size}) {}

Tensor ViTPatchEmbeddings::forward(const Tensor& pixel_values) const {
  return projection(pixel_values).flatten(2).transpose(1, 2);
}

ViTEmbeddings::ViTEmbeddings(const ViTConfig& c)
    : image_size(c.image_size),
      patch_size(c.patch_size),
      cls_token(randn({1, 1, c.hidden_size})),
      patch_embeddings(c),
      position_embeddings(
          randn({1, 1 + (c.image_size[0] / c.patch_size[0]) * (c.image_size[1] / c.patch_size[1]),
                 c.hidden_size})),
      dropout(c.hidden_dropout_prob) {}

Tensor ViTEmbeddings::forward(const Tensor& pixel_values, bool interpolate) const {
  if (pixel_values.dim() != 4)
    throw ShapeError("ViTModel: pixel_values must be (N, C, H, W), got " +
                     pixel_values.shape().str());
  const std::int64_t height = pixel_values.size(2), width = pixel_values.size(3);
  if (!interpolate && (height != image_size[0] || width != image_size[1]))
    throw ShapeError("ViTModel: got images of " + Shape{height, width}.str() + ", expected " +
                     image_size.str() + ". interpolate_pos_encoding allows other sizes.");
  const Tensor patches = patch_embeddings(pixel_values);
  const Tensor tokens = cat({cls_token.expand({patches.size(0), -1, -1}), patches}, 1);
  return dropout(tokens + (interpolate ? interpolated_positions(height, width)
                                       : static_cast<const Tensor&>(position_embeddings)));
}

Tensor ViTEmbeddings::interpolated_positions(std::int64_t height, std::int64_t width) const {
  if (height == image_size[0] && width == image_size[1]) return position_embeddings;
  const std::int64_t rows = image_size[0] / patch_size[0], columns = image_size[1] / patch_size[1];
  const Tensor of_patches =
      position_embeddings.slice(1, 1, {}).reshape({1, rows, columns, -1}).permute({0, 3, 1, 2});
  const Tensor resized = nn::functional::interpolate(
      of_patches, {.size = {height / patch_size[0], width / patch_size[1]}, .mode = "bicubic"});
  return cat({position_embeddings.slice(1, 0, 1), resized.flatten(2).transpose(1, 2)}, 1);
}

ViTAttention::ViTAttention(const ViTConfig& c)
    : head_dim(c.hidden_size / c.num_attention_heads),
      attention_dropout(c.attention_probs_dropout_prob),
      q_proj(c.hidden_size, c.hidden_size, {.bias = c.qkv_bias}),
      k_proj(c.hidden_size, c.hidden_size, {.bias = c.qkv_bias}),
      v_proj(c.hidden_size, c.hidden_size, {.bias = c.qkv_bias}),
      o_proj(c.hidden_size, c.hidden_size) {}

Tensor ViTAttention::forward(const Tensor& x) const {
  const Tensor q = split_heads(q_proj(x), head_dim), k = split_heads(k_proj(x), head_dim),
               v = split_heads(v_proj(x), head_dim);
  const double scaling = 1 / std::sqrt(static_cast<double>(head_dim));
  return o_proj(huggingface::attend(q, k, v, {}, scaling, training ? attention_dropout : 0));
}

ViTMLP::ViTMLP(const ViTConfig& c)
    : activation_fn(huggingface::make_activation(c.hidden_act)),
      fc1(c.hidden_size, c.intermediate_size),
      fc2(c.intermediate_size, c.hidden_size) {}

Tensor ViTMLP::forward(const Tensor& x) const { return fc2((*activation_fn)(fc1(x))); }

ViTLayer::ViTLayer(const ViTConfig& c)
    : attention(c),
      layernorm_before(c.hidden_size, {.eps = c.layer_norm_eps}),
      layernorm_after(c.hidden_size, {.eps = c.layer_norm_eps}),
      mlp(c),
      dropout(c.hidden_dropout_prob) {}

Tensor ViTLayer::forward(const Tensor& x) const {
  const Tensor attended = dropout(attention(layernorm_before(x))) + x;
  return dropout(mlp(layernorm_after(attended))) + attended;
}

ViTPooler::ViTPooler(const ViTConfig& c)
    : dense(c.hidden_size, c.pooler_output_size ? c.pooler_output_size : c.hidden_size),
      activation(huggingface::make_activation(c.pooler_act)) {}

Tensor ViTPooler::forward(const Tensor& hidden_states) const {
  return (*activation)(dense(hidden_states.select(1, 0)));
}

namespace {

nn::ModuleList make_vit_layers(const ViTConfig& c) {
  nn::ModuleList layers;
  for (std::int64_t i = 0; i < c.num_hidden_layers; ++i) layers.append(ViTLayer(c));
  return layers;
}

}  // namespace

ViTModel::ViTModel(const ViTConfig& c, bool add_pooling_layer)
    : PreTrainedModel(c),
      embeddings(c),
      layers(make_vit_layers(c)),
      layernorm(c.hidden_size, {.eps = c.layer_norm_eps}) {
  // In Python, an absent pooler is not registered.
  if (add_pooling_layer) register_module("pooler", ViTPooler(c));
  const WeightInitializer init(c.initializer_range);
  apply([&](nn::Module& module) { init_weights(module, init); });
}

ModelOutput ViTModel::forward(const Tensor& pixel_values, const ModelInputs& inputs) const {
  ModelOutput out;
  Tensor hidden =
      embeddings(pixel_values.to(embeddings.cls_token.dtype()), inputs.interpolate_pos_encoding);
  if (inputs.output_hidden_states) out.hidden_states.push_back(hidden);
  for (nn::Module& layer : layers) {
    hidden = huggingface::layer_as<ViTLayer>(layer)(hidden);
    if (inputs.output_hidden_states) out.hidden_states.push_back(hidden);
  }
  out.last_hidden_state = layernorm(hidden);
  if (has_attr("pooler")) out.pooler_output = attr<ViTPooler>("pooler")(out.last_hidden_state);
  return out;
}

ViTForImageClassification::ViTForImageClassification(const ViTConfig& c)
    : ModelWithHead(c), vit(c, false), classifier(c.hidden_size, c.num_labels) {
  WeightInitializer init(c.initializer_range);
  init(classifier);
}

ModelOutput ViTForImageClassification::forward(const Tensor& pixel_values,
                                               const ModelInputs& inputs) const {
  ModelOutput out = vit(pixel_values, inputs);
  out.logits = classifier(out.last_hidden_state.select(1, 0));
  if (inputs.labels.defined())
    out.loss = huggingface::classification_loss(out.logits, inputs.labels, config);
  return out;
}

}  // namespace vit_hf
