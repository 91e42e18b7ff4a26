// Vision Transformer: a Transformer encoder over the patches of an image (Dosovitskiy et al., "An
// Image is Worth 16x16 Words", 2020).
#pragma once
#include <vector>

#include "vision/layers.h"

namespace vision {

/// Architecture of a VisionTransformer. `hidden_dim` is the size of an embedded patch.
struct VisionTransformerSize {
  std::int64_t image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim;
};

/// A convolution of a stem that replaces the embedding of patches (Xiao et al., "Early Convolutions
/// Help Transformers See Better", 2021).
struct ConvStemConfig {
  std::int64_t out_channels, kernel_size, stride;
  NormLayer norm_layer = batch_norm();
  ActivationLayer activation = in_place<taper::nn::ReLU>;
};

/// Options of VisionTransformer.
struct VisionTransformerOptions {
  double dropout = 0, attention_dropout = 0;
  taper::IntArg num_classes = 1000;
  /// Size of a hidden layer of the head; default: the head is a linear layer.
  std::optional<std::int64_t> representation_size{};
  NormLayer norm_layer = layer_norm({.eps = 1e-6});
  /// Convolutions before a 1x1 convolution to `hidden_dim` channels. Together they must divide the
  /// resolution by `patch_size`. Default: one convolution of patches.
  std::vector<ConvStemConfig> conv_stem_configs{};
};

/// Adds positions to `(N, L, hidden_dim)` and applies the layers. torchvision: Encoder of
/// models.vision_transformer.
struct Encoder : taper::nn::Layer<Encoder> {
  taper::nn::Parameter pos_embedding;  ///< (1, L, hidden_dim)
  taper::nn::Dropout dropout;
  taper::nn::Sequential layers;
  std::shared_ptr<taper::nn::Module> ln;

  Encoder(std::int64_t sequence_length, const VisionTransformerSize& size,
          const VisionTransformerOptions& options);
  TAPER_LAYER(Encoder)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Classifies images `(N, 3, image_size, image_size)`; returns logits `(N, num_classes)`.
/// torchvision: models.VisionTransformer.
struct VisionTransformer : taper::nn::Layer<VisionTransformer> {
  std::int64_t image_size, patch_size;
  taper::nn::Parameter class_token;  ///< (1, 1, hidden_dim)
  std::shared_ptr<taper::nn::Module> conv_proj;
  Encoder encoder;
  taper::nn::Sequential heads;

  /// Throws ValueError unless patch_size divides image_size.
  explicit VisionTransformer(const VisionTransformerSize& size,
                             const VisionTransformerOptions& options = {});
  TAPER_LAYER(VisionTransformer)
  /// Throws ShapeError if the images have another size.
  taper::Tensor forward(const taper::Tensor& images) const;
};

VisionTransformer vit_b_16(const VisionTransformerOptions& options = {},
                           taper::IntArg image_size = 224);
VisionTransformer vit_b_32(const VisionTransformerOptions& options = {},
                           taper::IntArg image_size = 224);
VisionTransformer vit_l_16(const VisionTransformerOptions& options = {},
                           taper::IntArg image_size = 224);

}  // namespace vision
