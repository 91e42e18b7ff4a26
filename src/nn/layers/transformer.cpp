// TransformerEncoder, TransformerDecoder and Transformer.
#include "taper/nn/transformer.h"

#include <limits>

#include "core/check.h"
#include "nn/functional/attention_mask.h"
#include "nn/layers/options.h"
#include "nn/registry/schema.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"
#include "taper/nn/module_value.h"

namespace taper::nn {

// In PyTorch, an absent norm is a plain attribute.
TAPER_DETAIL_LAYER_CLASS(TransformerEncoder) {
  detail::visit(visitor, "layers", layers);
  if (norm) detail::visit(visitor, "norm", norm);
}
TAPER_DETAIL_LAYER_CLASS(TransformerDecoder) {
  detail::visit(visitor, "layers", layers);
  if (norm) detail::visit(visitor, "norm", norm);
}
TAPER_LAYER_MEMBERS(Transformer, encoder, decoder)

TAPER_DETAIL_LAYER_CALLS(TransformerEncoder)
TAPER_DETAIL_LAYER_CALLS(TransformerDecoder)

namespace {

ModuleList copies(const Module* layer, std::int64_t count) {
  if (count < 0) fail<ValueError>("num_layers must not be negative, got {}", count);
  check_layer_count(count);
  ModuleList list;
  for (std::int64_t i = 0; layer && i < count; ++i) list.append(layer->clone_shared());
  return list;
}

/// Returns the hint if it is given; otherwise, whether `mask` is the causal mask of a sequence of
/// `length` elements.
bool detect_causal(const Tensor& mask, std::optional<bool> hint, std::int64_t length) {
  if (hint) return *hint;
  if (!mask.defined() || mask.shape() != Shape{length, length}) return false;
  const Tensor causal =
      Transformer::generate_square_subsequent_mask(length, mask.device(), mask.dtype());
  return mask.eq(causal).all().item<bool>();
}

/// Returns the length of a sequence of the attention of the first layer.
std::int64_t length_of(const Tensor& x, const ModuleList& layers) {
  if (x.dim() != 3) return x.dim() == 2 ? x.size(0) : 0;
  bool batch_first = false;
  if (!layers.empty()) {
    if (const auto encoder = layers[0].as<TransformerEncoderLayer>())
      batch_first = encoder->self_attn.batch_first;
    else if (const auto decoder = layers[0].as<TransformerDecoderLayer>())
      batch_first = decoder->self_attn.batch_first;
  }
  return x.size(batch_first ? 1 : 0);
}

/// Calls a module of any class with keyword arguments.
Tensor call_named(Module& module, Values args, const Value& kwargs) {
  return module.call(std::move(args), kwargs).as_tensor();
}

Value optional(const Tensor& t) { return t.defined() ? Value(t) : Value(); }

}  // namespace

TransformerEncoder::TransformerEncoder(const TransformerEncoderLayer& layer, IntArg count,
                                       const TransformerEncoderOptions& o)
    : TransformerEncoder(layer.clone_shared(), count, o) {}
TransformerEncoder::TransformerEncoder(const std::shared_ptr<Module>& layer, IntArg count,
                                       const TransformerEncoderOptions& o)
    : layers(copies(layer.get(), count)),
      num_layers(count),
      norm(o.norm),
      enable_nested_tensor(o.enable_nested_tensor),
      mask_check(o.mask_check) {}

Tensor TransformerEncoder::forward(const Tensor& src,
                                   const TransformerEncoderForwardOptions& o) const {
  check_called();
  const Tensor& src_key_padding_mask = o.src_key_padding_mask.value_or_undefined();
  const Tensor& given_mask = o.mask.value_or_undefined();
  warn_of_mask_types(src_key_padding_mask, "src_key_padding_mask", given_mask, "mask");
  const Tensor padding = canonical_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype());
  const Tensor mask = canonical_mask(given_mask, "mask", src.dtype());
  const bool causal = detect_causal(mask, o.is_causal, length_of(src, layers));
  Tensor output = src;
  for (Module& layer : layers) {
    if (const auto known = layer.as<TransformerEncoderLayer>())
      output = (*known)(output,
                        {.src_mask = mask, .src_key_padding_mask = padding, .is_causal = causal});
    else
      output = call_named(layer, {output},
                          Value::dict({{"src_mask", optional(mask)},
                                       {"is_causal", causal},
                                       {"src_key_padding_mask", optional(padding)}}));
  }
  return norm ? (*norm)(output) : output;
}

TransformerDecoder::TransformerDecoder(const TransformerDecoderLayer& layer, IntArg count,
                                       const TransformerDecoderOptions& o)
    : TransformerDecoder(layer.clone_shared(), count, o) {}
TransformerDecoder::TransformerDecoder(const std::shared_ptr<Module>& layer, IntArg count,
                                       const TransformerDecoderOptions& o)
    : layers(copies(layer.get(), count)), num_layers(count), norm(o.norm) {}

Tensor TransformerDecoder::forward(const Tensor& tgt, const Tensor& memory,
                                   const TransformerDecoderForwardOptions& o) const {
  check_called();
  const bool causal =
      detect_causal(o.tgt_mask.value_or_undefined(), o.tgt_is_causal, length_of(tgt, layers));
  const TransformerDecoderLayerForwardOptions options{
      .tgt_mask = o.tgt_mask,
      .memory_mask = o.memory_mask,
      .tgt_key_padding_mask = o.tgt_key_padding_mask,
      .memory_key_padding_mask = o.memory_key_padding_mask,
      .tgt_is_causal = causal,
      .memory_is_causal = o.memory_is_causal};
  Tensor output = tgt;
  for (Module& layer : layers) {
    if (const auto known = layer.as<TransformerDecoderLayer>())
      output = (*known)(output, memory, options);
    else
      output = call_named(layer, {output, memory},
                          Convert<TransformerDecoderLayerForwardOptions>::to(options));
  }
  return norm ? (*norm)(output) : output;
}

namespace {

template <class Stack, class Layer>
std::shared_ptr<Module> make_stack(const TransformerOptions& o, std::int64_t count) {
  const Layer layer(o.d_model, o.nhead,
                    {.dim_feedforward = o.dim_feedforward,
                     .dropout = o.dropout,
                     .activation = o.activation,
                     .layer_norm_eps = o.layer_norm_eps,
                     .batch_first = o.batch_first,
                     .norm_first = o.norm_first,
                     .bias = o.bias,
                     .dtype = o.dtype,
                     .device = o.device});
  auto norm = std::make_shared<LayerNorm>(
      Shape{o.d_model},
      LayerNormOptions{
          .eps = o.layer_norm_eps, .bias = o.bias, .dtype = o.dtype, .device = o.device});
  return std::make_shared<Stack>(layer, count, std::move(norm));
}

}  // namespace

Transformer::Transformer(const TransformerOptions& o)
    : encoder(o.custom_encoder),
      decoder(o.custom_decoder),
      d_model(o.d_model),
      nhead(o.nhead),
      batch_first(o.batch_first) {
  if (!encoder)
    encoder = make_stack<TransformerEncoder, TransformerEncoderLayer>(o, o.num_encoder_layers);
  if (!decoder)
    decoder = make_stack<TransformerDecoder, TransformerDecoderLayer>(o, o.num_decoder_layers);
  reset_parameters();
}

void Transformer::reset_parameters() {
  for_each_parameter([](Parameter& p) {
    if (p.dim() > 1) init::xavier_uniform_(p);
  });
}

Tensor Transformer::forward(const Tensor& src, const Tensor& tgt,
                            const TransformerForwardOptions& o) const {
  check_called();
  const std::int64_t batch_dim = batch_first ? 0 : 1;
  if (src.dim() < 2 || src.dim() > 3 || tgt.dim() != src.dim())
    fail<ShapeError>("Transformer: src and tgt must both have 2 or 3 dimensions, got {} and {}",
                     src.shape(), tgt.shape());
  if (src.dim() == 3 && src.size(batch_dim) != tgt.size(batch_dim))
    fail<RuntimeError>("the batch number of src and tgt must be equal: got {} and {}",
                       src.size(batch_dim), tgt.size(batch_dim));
  if (src.size(-1) != d_model || tgt.size(-1) != d_model)
    fail<RuntimeError>(
        "the feature number of src and tgt must be equal to d_model {}: got {} and {}", d_model,
        src.size(-1), tgt.size(-1));
  const TransformerEncoderForwardOptions to_encoder{.mask = o.src_mask,
                                                    .src_key_padding_mask = o.src_key_padding_mask,
                                                    .is_causal = o.src_is_causal};
  const auto own_encoder = encoder->as<TransformerEncoder>();
  const Tensor memory =
      own_encoder
          ? (*own_encoder)(src, to_encoder)
          : call_named(*encoder, {src}, Convert<TransformerEncoderForwardOptions>::to(to_encoder));
  const TransformerDecoderForwardOptions to_decoder{
      .tgt_mask = o.tgt_mask,
      .memory_mask = o.memory_mask,
      .tgt_key_padding_mask = o.tgt_key_padding_mask,
      .memory_key_padding_mask = o.memory_key_padding_mask,
      .tgt_is_causal = o.tgt_is_causal,
      .memory_is_causal = o.memory_is_causal};
  if (const auto own_decoder = decoder->as<TransformerDecoder>())
    return (*own_decoder)(tgt, memory, to_decoder);
  return call_named(*decoder, {tgt, memory},
                    Convert<TransformerDecoderForwardOptions>::to(to_decoder));
}

Tensor Transformer::generate_square_subsequent_mask(IntArg size, std::optional<Device> device,
                                                    std::optional<DType> dtype) {
  return full({size, size}, -std::numeric_limits<double>::infinity(),
              {.dtype = dtype ? *dtype : default_dtype(), .device = device})
      .triu(1);
}

namespace {

Value first_layer(const ModuleList& layers) {
  return layers.empty() ? Value() : value_of(layers.shared(0));
}

const TransformerEncoderLayer* first_layer(const Transformer& m) {
  const TransformerEncoder* const encoder =
      m.encoder ? m.encoder->as<TransformerEncoder>() : nullptr;
  if (!encoder || encoder->layers.empty()) return nullptr;
  return encoder->layers[0].as<TransformerEncoderLayer>();
}

Values transformer_values(const Transformer& m) {
  const TransformerEncoder* const encoder =
      m.encoder ? m.encoder->as<TransformerEncoder>() : nullptr;
  const TransformerDecoder* const decoder =
      m.decoder ? m.decoder->as<TransformerDecoder>() : nullptr;
  const TransformerEncoderLayer* const layer = first_layer(m);
  const TransformerOptions o;
  return {m.d_model,
          m.nhead,
          encoder ? encoder->num_layers : std::int64_t{o.num_encoder_layers},
          decoder ? decoder->num_layers : std::int64_t{o.num_decoder_layers},
          layer ? layer->linear1.out_features : std::int64_t{o.dim_feedforward},
          layer ? layer->dropout.p : double{o.dropout},
          layer ? layer->activation : o.activation,
          encoder ? Value() : value_of(m.encoder),
          decoder ? Value() : value_of(m.decoder),
          layer ? layer->norm1.eps : double{o.layer_norm_eps},
          m.batch_first,
          layer ? layer->norm_first : o.norm_first,
          layer ? layer->linear1.bias.has_value() : o.bias,
          layer ? Value(layer->linear1.weight.device()) : Value(),
          layer ? Value(layer->linear1.weight.dtype()) : Value()};
}

}  // namespace

const ModuleSchema& module_schema(const TransformerEncoder*) {
  static constexpr ModuleSchema schema = layer_schema<TransformerEncoder>(
      "TransformerEncoder", "transformer",
      "encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True",
      [](const Arguments& a) {
        return TransformerEncoder(module_argument(a, "encoder_layer"), a.integer("num_layers"),
                                  {.norm = module_argument(a, "norm"),
                                   .enable_nested_tensor = a.flag("enable_nested_tensor"),
                                   .mask_check = a.flag("mask_check")});
      },
      [](const TransformerEncoder& m) -> Values {
        return {first_layer(m.layers), m.num_layers, m.norm ? value_of(m.norm) : Value(),
                m.enable_nested_tensor, m.mask_check};
      });
  return schema;
}
const ModuleSchema& module_schema(const TransformerDecoder*) {
  static constexpr ModuleSchema schema = layer_schema<TransformerDecoder>(
      "TransformerDecoder", "transformer", "decoder_layer, num_layers, norm=None",
      [](const Arguments& a) {
        return TransformerDecoder(module_argument(a, "decoder_layer"), a.integer("num_layers"),
                                  module_argument(a, "norm"));
      },
      [](const TransformerDecoder& m) -> Values {
        return {first_layer(m.layers), m.num_layers, m.norm ? value_of(m.norm) : Value()};
      });
  return schema;
}
const ModuleSchema& module_schema(const Transformer*) {
  static constexpr ModuleSchema schema = layer_schema<Transformer>(
      "Transformer", "transformer",
      "d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, "
      "dropout=0.1, activation='relu', custom_encoder=None, custom_decoder=None, "
      "layer_norm_eps=1e-05, batch_first=False, norm_first=False, bias=True, device=None, "
      "dtype=None",
      [](const Arguments& a) {
        return Transformer({.d_model = a.integer("d_model"),
                            .nhead = a.integer("nhead"),
                            .num_encoder_layers = a.integer("num_encoder_layers"),
                            .num_decoder_layers = a.integer("num_decoder_layers"),
                            .dim_feedforward = a.integer("dim_feedforward"),
                            .dropout = a.number("dropout"),
                            .activation = a.string("activation"),
                            .custom_encoder = module_argument(a, "custom_encoder"),
                            .custom_decoder = module_argument(a, "custom_decoder"),
                            .layer_norm_eps = a.number("layer_norm_eps"),
                            .batch_first = a.flag("batch_first"),
                            .norm_first = a.flag("norm_first"),
                            .bias = a.flag("bias"),
                            .dtype = a.dtype(),
                            .device = a.device()});
      },
      [](const Transformer& m) { return transformer_values(m); });
  return schema;
}

}  // namespace taper::nn
