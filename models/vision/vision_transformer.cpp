#include "vision/vision_transformer.h"

#include <cmath>

#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"

namespace vision {

using namespace taper;

namespace {

/// Two linear layers with GELU and dropout.
struct MLPBlock : nn::Sequential {
  MLPBlock(std::int64_t in, std::int64_t hidden, double dropout) {
    append(nn::Linear(in, hidden));
    append(nn::GELU());
    append(nn::Dropout(dropout));
    append(nn::Linear(hidden, in));
    append(nn::Dropout(dropout));
    for (nn::Module* m : modules())
      if (const auto linear = m->as<nn::Linear>()) {
        nn::init::xavier_uniform_(linear->weight);
        nn::init::normal_(*linear->bias, 0, 1e-6);
      }
  }
  TAPER_DERIVED_MODULE(MLPBlock, nn::Sequential)
  std::int64_t version() const override { return 2; }
  void load_from_state_dict(nn::LoadState& state) override;
};

// In version 1, the linear layers were named linear_1 and linear_2.
void MLPBlock::load_from_state_dict(nn::LoadState& state) {
  if (state.version().value_or(1) < 2)
    for (const auto& [old_name, name] : {std::pair{"linear_1.", "0."}, {"linear_2.", "3."}})
      for (const char* const entry : {"weight", "bias"}) {
        const std::string old_key = state.key(old_name) + entry;
        const Value* const found = state.state.find(old_key);
        if (!found) continue;
        const Value value = *found;
        state.state.erase(old_key);
        state.state.set(state.key(name) + entry, value);
      }
  Module::load_from_state_dict(state);
}

/// Self-attention and a perceptron, each after a normalization and added to its input.
struct EncoderBlock : nn::Module {
  std::shared_ptr<nn::Module> ln_1;
  nn::MultiheadAttention self_attention;
  nn::Dropout dropout;
  std::shared_ptr<nn::Module> ln_2;
  MLPBlock mlp;

  EncoderBlock(const VisionTransformerSize& s, const VisionTransformerOptions& o)
      : ln_1(o.norm_layer(s.hidden_dim)),
        self_attention(s.hidden_dim, s.num_heads,
                       {.dropout = o.attention_dropout, .batch_first = true}),
        dropout(o.dropout),
        ln_2(o.norm_layer(s.hidden_dim)),
        mlp(s.hidden_dim, s.mlp_dim, o.dropout) {}
  TAPER_MODULE(EncoderBlock, ln_1, self_attention, dropout, ln_2, mlp)

  Tensor forward(const Tensor& input) const {
    const Tensor normalized = (*ln_1)(input);
    const Tensor attended =
        self_attention(normalized, normalized, normalized, {.need_weights = false}).first;
    const Tensor x = dropout(attended) + input;
    return x + mlp((*ln_2)(x));
  }
};

nn::Sequential make_layers(const VisionTransformerSize& s, const VisionTransformerOptions& o) {
  nn::Sequential layers;
  for (std::int64_t i = 0; i < s.num_layers; ++i)
    layers.register_module("encoder_layer_" + std::to_string(i), EncoderBlock(s, o));
  return layers;
}

/// Returns the convolution that embeds patches, or the stem.
std::shared_ptr<nn::Module> make_projection(const VisionTransformerSize& s,
                                            const VisionTransformerOptions& o) {
  if (o.conv_stem_configs.empty())
    return std::make_shared<nn::Conv2d>(3, s.hidden_dim, s.patch_size,
                                        nn::ConvOptions{.stride = {s.patch_size}});
  auto stem = std::make_shared<nn::Sequential>();
  std::int64_t in = 3, i = 0;
  for (const ConvStemConfig& c : o.conv_stem_configs) {
    stem->register_module("conv_bn_relu_" + std::to_string(i++),
                          Conv2dNormActivation(in, c.out_channels,
                                               {.kernel_size = c.kernel_size,
                                                .stride = c.stride,
                                                .norm_layer = c.norm_layer,
                                                .activation = c.activation}));
    in = c.out_channels;
  }
  stem->register_module("conv_last", nn::Conv2d(in, s.hidden_dim, 1));
  return stem;
}

void initialize_projection(const nn::Module& projection) {
  const bool is_stem = projection.as<nn::Sequential>();
  const auto& conv =
      *(is_stem ? projection.get_submodule("conv_last") : projection).as<nn::Conv2d>();
  if (is_stem)
    nn::init::normal_(conv.weight, 0, std::sqrt(2.0 / static_cast<double>(conv.out_channels)));
  else
    nn::init::trunc_normal_(
        conv.weight, 0,
        std::sqrt(1.0 / static_cast<double>(conv.weight.numel() / conv.out_channels)));
  nn::init::zeros_(*conv.bias);
}

/// Returns the number of patches along a side of the image.
std::int64_t patches_per_side(const VisionTransformerSize& s) {
  if (s.patch_size < 1 || s.image_size % s.patch_size != 0)
    throw ValueError("VisionTransformer: patch_size " + std::to_string(s.patch_size) +
                     " does not divide image_size " + std::to_string(s.image_size));
  return s.image_size / s.patch_size;
}

}  // namespace

TAPER_LAYER_MEMBERS(Encoder, pos_embedding, dropout, layers, ln)

Encoder::Encoder(std::int64_t sequence_length, const VisionTransformerSize& s,
                 const VisionTransformerOptions& o)
    : pos_embedding(empty({1, sequence_length, s.hidden_dim}).normal_(0, 0.02)),
      dropout(o.dropout),
      layers(make_layers(s, o)),
      ln(o.norm_layer(s.hidden_dim)) {}

Tensor Encoder::forward(const Tensor& x) const { return (*ln)(layers(dropout(x + pos_embedding))); }

TAPER_LAYER_MEMBERS(VisionTransformer, class_token, conv_proj, encoder, heads)

VisionTransformer::VisionTransformer(const VisionTransformerSize& s,
                                     const VisionTransformerOptions& o)
    : image_size(s.image_size),
      patch_size(s.patch_size),
      class_token(zeros({1, 1, s.hidden_dim})),
      conv_proj(make_projection(s, o)),
      encoder(patches_per_side(s) * patches_per_side(s) + 1, s, o) {
  if (o.representation_size) {
    heads.register_module("pre_logits", nn::Linear(s.hidden_dim, *o.representation_size));
    heads.register_module("act", nn::Tanh());
  }
  heads.register_module("head",
                        nn::Linear(o.representation_size.value_or(s.hidden_dim), o.num_classes));
  initialize_projection(*conv_proj);
  if (o.representation_size) {
    const auto& hidden = *heads.front().as<nn::Linear>();
    nn::init::trunc_normal_(hidden.weight, 0,
                            std::sqrt(1.0 / static_cast<double>(hidden.in_features)));
    nn::init::zeros_(*hidden.bias);
  }
  const auto& head = *heads.back().as<nn::Linear>();
  nn::init::zeros_(head.weight);
  nn::init::zeros_(*head.bias);
}

Tensor VisionTransformer::forward(const Tensor& images) const {
  if (images.dim() != 4 || images.size(2) != image_size || images.size(3) != image_size)
    throw ShapeError("VisionTransformer: got images of shape " + images.shape().str() +
                     ", expected [N, 3, " + std::to_string(image_size) + ", " +
                     std::to_string(image_size) + "]");
  const Tensor patches = (*conv_proj)(images).flatten(2).permute({0, 2, 1});
  const Tensor token = class_token.expand({images.size(0), -1, -1});
  const Tensor x = encoder(cat({token, patches}, 1));
  return heads(x.select(1, 0));
}

VisionTransformer vit_b_16(const VisionTransformerOptions& o, IntArg image_size) {
  return VisionTransformer({image_size, 16, 12, 12, 768, 3072}, o);
}
VisionTransformer vit_b_32(const VisionTransformerOptions& o, IntArg image_size) {
  return VisionTransformer({image_size, 32, 12, 12, 768, 3072}, o);
}
VisionTransformer vit_l_16(const VisionTransformerOptions& o, IntArg image_size) {
  return VisionTransformer({image_size, 16, 24, 16, 1024, 4096}, o);
}

}  // namespace vision
