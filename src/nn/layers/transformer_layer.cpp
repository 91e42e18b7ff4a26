// TransformerEncoderLayer and TransformerDecoderLayer.
#include "core/check.h"
#include "nn/functional/attention_mask.h"
#include "nn/registry/schema.h"
#include "taper/nn/functional.h"
#include "taper/nn/transformer.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(TransformerEncoderLayer, self_attn, linear1, dropout, linear2, norm1, norm2,
                    dropout1, dropout2)
TAPER_LAYER_MEMBERS(TransformerDecoderLayer, self_attn, multihead_attn, linear1, dropout, linear2,
                    norm1, norm2, norm3, dropout1, dropout2, dropout3)

namespace {

const std::string& checked_activation(const std::string& name) {
  if (name != "relu" && name != "gelu")
    fail<ValueError>("activation should be relu/gelu, not {}", name);
  return name;
}

MultiheadAttentionOptions attention_options(const TransformerLayerOptions& o) {
  return {.dropout = o.dropout,
          .bias = o.bias,
          .batch_first = o.batch_first,
          .dtype = o.dtype,
          .device = o.device};
}
LinearOptions linear_options(const TransformerLayerOptions& o) {
  return {.bias = o.bias, .dtype = o.dtype, .device = o.device};
}
LayerNormOptions norm_options(const TransformerLayerOptions& o) {
  return {.eps = o.layer_norm_eps, .bias = o.bias, .dtype = o.dtype, .device = o.device};
}

Tensor activated(const std::string& name, const Tensor& x) {
  return name == "gelu" ? functional::gelu(x) : functional::relu(x);
}

/// Calls attention without weights.
Tensor attend(const MultiheadAttention& attention, const Tensor& x, const Tensor& memory,
              const OptionalTensor& mask, const OptionalTensor& padding_mask, bool is_causal) {
  return attention(x, memory, memory,
                   {.key_padding_mask = padding_mask,
                    .need_weights = false,
                    .attn_mask = mask,
                    .is_causal = is_causal})
      .first;
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(IntArg d_model, IntArg nhead,
                                                 const TransformerLayerOptions& o)
    : self_attn(d_model, nhead, attention_options(o)),
      linear1(d_model, o.dim_feedforward, linear_options(o)),
      dropout(o.dropout),
      linear2(o.dim_feedforward, d_model, linear_options(o)),
      norm1({d_model}, norm_options(o)),
      norm2({d_model}, norm_options(o)),
      dropout1(o.dropout),
      dropout2(o.dropout),
      norm_first(o.norm_first),
      activation(checked_activation(o.activation)) {}

Tensor TransformerEncoderLayer::forward(const Tensor& src,
                                        const TransformerEncoderLayerForwardOptions& o) const {
  check_called();
  const Tensor& src_mask = o.src_mask.value_or_undefined();
  const Tensor& src_key_padding_mask = o.src_key_padding_mask.value_or_undefined();
  warn_of_mask_types(src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask");
  const Tensor padding = canonical_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype());
  const Tensor mask = canonical_mask(src_mask, "src_mask", src.dtype());
  const auto attention = [&](const Tensor& x) {
    return dropout1(attend(self_attn, x, x, mask, padding, o.is_causal));
  };
  const auto feedforward = [&](const Tensor& x) {
    return dropout2(linear2(dropout(activated(activation, linear1(x)))));
  };
  if (norm_first) {
    const Tensor x = src + attention(norm1(src));
    return x + feedforward(norm2(x));
  }
  const Tensor x = norm1(src + attention(src));
  return norm2(x + feedforward(x));
}

TransformerDecoderLayer::TransformerDecoderLayer(IntArg d_model, IntArg nhead,
                                                 const TransformerLayerOptions& o)
    : self_attn(d_model, nhead, attention_options(o)),
      multihead_attn(d_model, nhead, attention_options(o)),
      linear1(d_model, o.dim_feedforward, linear_options(o)),
      dropout(o.dropout),
      linear2(o.dim_feedforward, d_model, linear_options(o)),
      norm1({d_model}, norm_options(o)),
      norm2({d_model}, norm_options(o)),
      norm3({d_model}, norm_options(o)),
      dropout1(o.dropout),
      dropout2(o.dropout),
      dropout3(o.dropout),
      norm_first(o.norm_first),
      activation(checked_activation(o.activation)) {}

Tensor TransformerDecoderLayer::forward(const Tensor& tgt, const Tensor& memory,
                                        const TransformerDecoderLayerForwardOptions& o) const {
  check_called();
  const auto self_attention = [&](const Tensor& x) {
    return dropout1(attend(self_attn, x, x, o.tgt_mask, o.tgt_key_padding_mask, o.tgt_is_causal));
  };
  const auto cross_attention = [&](const Tensor& x) {
    return dropout2(attend(multihead_attn, x, memory, o.memory_mask, o.memory_key_padding_mask,
                           o.memory_is_causal));
  };
  const auto feedforward = [&](const Tensor& x) {
    return dropout3(linear2(dropout(activated(activation, linear1(x)))));
  };
  if (norm_first) {
    Tensor x = tgt + self_attention(norm1(tgt));
    x = x + cross_attention(norm2(x));
    return x + feedforward(norm3(x));
  }
  Tensor x = norm1(tgt + self_attention(tgt));
  x = norm2(x + cross_attention(x));
  return norm3(x + feedforward(x));
}

namespace {

/// Returns the name of the activation: a string, or the function of a pickled object.
std::string activation_of(const Arguments& a) {
  const Value& given = a["activation"];
  if (given.kind() != Value::Kind::global) return a.string("activation");
  return std::string(given.as_global().second);
}

TransformerLayerOptions layer_options(const Arguments& a) {
  return {.dim_feedforward = a.integer("dim_feedforward"),
          .dropout = a.number("dropout"),
          .activation = activation_of(a),
          .layer_norm_eps = a.number("layer_norm_eps"),
          .batch_first = a.flag("batch_first"),
          .norm_first = a.flag("norm_first"),
          .bias = a.flag("bias"),
          .dtype = a.dtype(),
          .device = a.device()};
}

template <class Layer> Values layer_values(const Layer& m) {
  return {m.self_attn.embed_dim,
          m.self_attn.num_heads,
          m.linear1.out_features,
          m.dropout.p,
          m.activation,
          m.norm1.eps,
          m.self_attn.batch_first,
          m.norm_first,
          m.linear1.bias.has_value(),
          m.linear1.weight.device(),
          m.linear1.weight.dtype()};
}

template <class Layer> constexpr ModuleSchema transformer_schema(std::string_view name) {
  return layer_schema<Layer>(
      name, "transformer",
      "d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', layer_norm_eps=1e-05, "
      "batch_first=False, norm_first=False, bias=True, device=None, dtype=None",
      [](const Arguments& a) {
        return Layer(a.integer("d_model"), a.integer("nhead"), layer_options(a));
      },
      [](const Layer& m) { return layer_values(m); });
}

}  // namespace

TAPER_MODULE_SCHEMA(TransformerEncoderLayer, transformer_schema)
TAPER_MODULE_SCHEMA(TransformerDecoderLayer, transformer_schema)

}  // namespace taper::nn
