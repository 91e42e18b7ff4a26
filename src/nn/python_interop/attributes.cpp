#include "nn/python_interop/attributes.h"

#include <algorithm>
#include <set>

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/signature.h"
#include "taper/nn/adaptive.h"
#include "taper/nn/conv.h"
#include "taper/nn/distance.h"
#include "taper/nn/module_value.h"
#include "taper/nn/parameter_dict.h"
#include "taper/nn/rnn.h"
#include "taper/nn/transformer.h"

namespace taper::nn {
namespace {

/// Names of the attributes of classes whose attributes differ from their constructor arguments.
/// `classes` is a prefix of the class names; the attributes in `before` are set before those of
/// Module, the attributes in `after` after them.
struct AttributeLists {
  std::string_view classes, before, after;
};
constexpr std::string_view kRecurrent =
    "mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, "
    "proj_size, _flat_weights_names, _all_weights, _flat_weights";
constexpr AttributeLists kAttributeLists[] = {
    {"Conv", "",
     "in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, "
     "output_padding, groups, padding_mode, _reversed_padding_repeated_twice"},
    {"FractionalMaxPool", "", "kernel_size, return_indices, output_size, output_ratio"},
    {"ConstantPad", "", "value, padding"},
    {"ZeroPad", "", "value, padding"},
    {"ReLU6", "", "min_val, max_val, inplace"},
    {"PReLU", "num_parameters", "init"},
    {"RNNCell", "", "input_size, hidden_size, bias, nonlinearity"},
    {"RNN", "nonlinearity", kRecurrent},
    {"LSTMCell", "", "input_size, hidden_size, bias"},
    {"LSTM", "", kRecurrent},
    {"GRUCell", "", "input_size, hidden_size, bias"},
    {"GRU", "", kRecurrent},
    {"EmbeddingBag", "",
     "num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, padding_idx, mode, "
     "sparse, include_last_offset"},
    {"Embedding", "",
     "num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse"},
    {"MultiheadAttention", "",
     "embed_dim, kdim, vdim, _qkv_same_embed_dim, num_heads, dropout, batch_first, head_dim, "
     "bias_k, bias_v, add_zero_attn"},
    {"TransformerEncoderLayer", "", "norm_first, activation_relu_or_gelu, activation"},
    {"TransformerDecoderLayer", "", "norm_first, activation"},
    {"TransformerEncoder", "",
     "num_layers, norm, enable_nested_tensor, use_nested_tensor, mask_check"},
    {"TransformerDecoder", "", "num_layers, norm"},
    {"Transformer", "", "d_model, nhead, batch_first"},
    {"Upsampl", "", "name, size, scale_factor, mode, align_corners, recompute_scale_factor"},
    {"PairwiseDistance", "", "norm, eps, keepdim"},
    {"CrossEntropyLoss", "", "reduction, ignore_index, label_smoothing"},
    {"LinearCrossEntropyLoss", "",
     "reduction, num_classes, out_features, ignore_index, label_smoothing, options"},
    {"NLLLoss", "", "reduction, ignore_index"},
    {"BCE", "", "reduction"},
    {"PoissonNLLLoss", "", "reduction, log_input, full, eps"},
    {"GaussianNLLLoss", "", "reduction, full, eps"},
    {"HingeEmbeddingLoss", "", "reduction, margin"},
    {"MarginRankingLoss", "", "reduction, margin"},
    {"CosineEmbeddingLoss", "", "reduction, margin"},
    {"MultiLabelSoftMarginLoss", "", "reduction"},
    {"MultiMarginLoss", "", "reduction, p, margin"},
    {"TripletMarginLoss", "", "reduction, margin, p, eps, swap"},
    {"CTCLoss", "", "reduction, blank, zero_infinity"},
    {"AdaptiveLogSoftmaxWithLoss", "",
     "in_features, n_classes, cutoffs, div_value, head_bias, shortlist_size, n_clusters, "
     "head_size"},
    {"TripletMarginWithDistanceLoss", "", "reduction, distance_function, margin, swap"},
    {"ParameterList", "", "_size"},
    {"ParameterDict", "", "_keys"},
};

/// Returns the lists of a class; null for a class whose attributes are its constructor arguments.
const AttributeLists* attribute_lists_of(const ModuleSchema& schema) {
  if (!schema.file.empty())
    for (const AttributeLists& lists : kAttributeLists)
      if (schema.name.starts_with(lists.classes)) return &lists;
  return nullptr;
}

/// Arguments that are not attributes: factory options and deprecated names.
constexpr std::string_view kNonAttributes[] = {"device", "dtype", "size_average", "reduce"};

/// Computes the attributes that a constructor sets.
class AttributeBuilder {
 public:
  AttributeBuilder(const Module& module, const ModuleSchema& schema)
      : module_(detail::mutable_of(module)), schema_(schema) {}

  PythonAttributes all() {
    if (const AttributeLists* lists = attribute_lists_of(schema_))
      return {named(lists->before), named(lists->after)};
    return {{}, argument_attributes()};
  }

 private:
  std::vector<Dict::Entry> named(std::string_view names) {
    std::vector<Dict::Entry> found;
    const Value parameters = module_.own_parameters();
    for (const SignatureEntry& e : parse_signature(names)) {
      // PyTorch stores some attributes only if they are None.
      const bool is_entry = parameters.contains(e.name) || has_child(e.name);
      if (!is_entry) found.emplace_back(e.name, value(e.name));
    }
    return found;
  }

  /// Returns the constructor arguments. They are computed on first use, because arguments of
  /// parameter lists contain copies of the parameters.
  const std::vector<std::pair<std::string_view, Value>>& arguments() {
    if (!arguments_.empty() || !schema_.options) return arguments_;
    const std::vector<SignatureEntry> signature = parse_signature(schema_.signature);
    const Values options = schema_.options(module_);
    for (std::size_t i = 0; i < options.size(); ++i)
      arguments_.emplace_back(signature[i].name, options[i]);
    return arguments_;
  }

  /// Returns the arguments that are stored as attributes. An argument with the name of a parameter
  /// or buffer is stored as that entry instead.
  std::vector<Dict::Entry> argument_attributes() {
    std::vector<Dict::Entry> found;
    const bool is_user_defined = schema_.file.empty();
    const Value parameters = module_.own_parameters(), buffers = module_.own_buffers();
    for (const auto& [name, v] : arguments()) {
      const bool is_attribute =
          is_user_defined || std::find(std::begin(kNonAttributes), std::end(kNonAttributes),
                                       name) == std::end(kNonAttributes);
      if (is_attribute && !parameters.contains(name) && !buffers.contains(name))
        found.emplace_back(name, v);
    }
    return found;
  }

  Value value(std::string_view name) {
    if (const auto list = module_.as<ParameterList>()) return list->size();
    if (const auto dict = module_.as<ParameterDict>()) {
      const Value keys = Value::dict();
      for (const std::string& key : dict->keys()) keys.as_dict().set(key, {});
      return keys;
    }
    if (schema_.file == "transformer" && name == "activation") return activation_function();
    if (const auto adaptive = module_.as<AdaptiveLogSoftmaxWithLoss>())
      if (std::optional<Value> found = adaptive_attribute(*adaptive, name)) return *found;
    for (const auto& [argument, v] : arguments())
      if (argument == name) return v;
    if (const auto attention = module_.as<MultiheadAttention>())
      return attention_attribute(*attention, name);
    if (const auto encoder = module_.as<TransformerEncoder>())
      return name == "use_nested_tensor" && uses_nested_tensor(*encoder);
    if (name == "activation_relu_or_gelu")
      return module_.as<TransformerEncoderLayer>()->activation == "gelu" ? 2 : 1;
    if (const auto distance = module_.as<PairwiseDistance>()) return distance->norm;
    if (const auto conv = module_.as<ConvBase>()) return convolution_attribute(*conv, name);
    if (const auto rnn = module_.as<RNNBase>()) return recurrent_attribute(*rnn, name);
    if (schema_.name == "ReLU6") return name == "min_val" ? 0.0 : 6.0;
    if (schema_.file == "upsampling") return upsampling_attribute(name);
    if (schema_.name.starts_with("ZeroPad")) return 0.0;
    fail<KeyError>("{}: unknown attribute '{}'", schema_.name, name);
  }

  bool has_child(std::string_view name) {
    for (const auto& child : module_.named_children())
      if (child.name == name) return true;
    return false;
  }

  /// Returns the function of the activation of a transformer layer.
  Value activation_function() {
    const auto encoder = module_.as<TransformerEncoderLayer>();
    const auto decoder = module_.as<TransformerDecoderLayer>();
    const std::string& activation = encoder ? encoder->activation : decoder->activation;
    return Value::global(activation == "gelu" ? "torch._C._nn" : "torch.nn.functional", activation);
  }

  static std::optional<Value> adaptive_attribute(const AdaptiveLogSoftmaxWithLoss& m,
                                                 std::string_view name) {
    if (name == "cutoffs") return Value::list(Values(m.cutoffs.begin(), m.cutoffs.end()));
    if (name == "shortlist_size") return m.shortlist_size;
    if (name == "n_clusters") return m.n_clusters;
    if (name == "head_size") return m.head_size;
    return {};
  }

  /// Returns an attribute of an upsampling layer that is not an argument of its class.
  Value upsampling_attribute(std::string_view name) const {
    if (name == "name") return Value(std::string(schema_.name));
    const bool bilinear = schema_.name == "UpsamplingBilinear2d";
    if (name == "mode") return bilinear ? "bilinear" : "nearest";
    return name == "align_corners" && bilinear ? Value(true) : Value();
  }

  static Value attention_attribute(const MultiheadAttention& m, std::string_view name) {
    if (name == "head_dim") return m.head_dim;
    if (name == "_qkv_same_embed_dim") return m.qkv_same_embed_dim();
    return {};  // an absent bias_k or bias_v
  }

  /// Returns true if PyTorch would use nested tensors in evaluation mode.
  static bool uses_nested_tensor(const TransformerEncoder& m) {
    if (m.layers.empty()) return false;
    const auto layer = m.layers[0].as<TransformerEncoderLayer>();
    return m.enable_nested_tensor && layer && !layer->norm_first && layer->self_attn.batch_first &&
           layer->self_attn.in_proj_bias && layer->norm1.eps == layer->norm2.eps &&
           layer->self_attn.num_heads % 2 == 0;
  }

  Value convolution_attribute(const ConvBase& conv, std::string_view name) const {
    const std::size_t rank = conv.kernel_size.size();
    if (name == "transposed") return schema_.name.starts_with("ConvTranspose");
    if (name == "output_padding") return Value::tuple(Values(rank, 0));
    // _reversed_padding_repeated_twice is the padding argument of F.pad: the padding before and
    // after each dimension, from the last dimension to the first.
    Values reversed_padding;
    for (std::size_t d = rank; d-- > 0;) {
      const auto [before, after] = conv.padding.sides(d, conv.kernel_size[d], conv.dilation[d]);
      reversed_padding.emplace_back(before), reversed_padding.emplace_back(after);
    }
    return conv.padding.word.empty() ? Value::tuple(std::move(reversed_padding))
                                     : Value::list(std::move(reversed_padding));
  }

  static Value recurrent_attribute(RNNBase& rnn, std::string_view name) {
    if (name == "mode") return rnn.mode;
    if (name == "proj_size") return rnn.proj_size;
    const Value layers = Value::list(), names = Value::list(), weights = Value::list();
    for (std::int64_t layer = 0; layer < rnn.num_layers; ++layer)
      for (const char* direction : {"", "_reverse"}) {
        if (*direction && !rnn.bidirectional) continue;
        const Value names_of_direction = Value::list();
        const std::string suffix = "_l" + std::to_string(layer) + direction;
        names_of_direction.append("weight_ih" + suffix),
            names_of_direction.append("weight_hh" + suffix);
        if (rnn.bias)
          names_of_direction.append("bias_ih" + suffix),
              names_of_direction.append("bias_hh" + suffix);
        if (rnn.proj_size > 0) names_of_direction.append("weight_hr" + suffix);
        for (const Value& weight : names_of_direction.as_list()) {
          names.append(weight);
          weights.append(rnn.get_attr(weight.as_string()));
        }
        layers.append(names_of_direction);
      }
    return name == "_all_weights" ? layers : name == "_flat_weights" ? weights : names;
  }

  Module& module_;
  const ModuleSchema& schema_;
  std::vector<std::pair<std::string_view, Value>> arguments_;
};

}  // namespace

PythonAttributes python_attributes(const Module& module, const ModuleSchema& schema) {
  return AttributeBuilder(module, schema).all();
}

std::string_view attribute_names(const ModuleSchema& schema) {
  const AttributeLists* const lists = attribute_lists_of(schema);
  return lists ? lists->after : schema.signature;
}

namespace {

/// Returns the state of a pickled child; null if it is absent.
const Dict* child_state(const Dict& attributes, std::string_view name) {
  const Value* const children = attributes.find("_modules");
  const Value* const child = children ? children->find(name) : nullptr;
  if (!child || child->kind() != Value::Kind::opaque || !child->as_opaque().state.is_dict())
    return nullptr;
  return &child->as_opaque().state.as_dict();
}

/// Copies an attribute of a child to an argument of the module.
void copy_attribute(const Dict& attributes, std::string_view child, std::string_view name,
                    std::string_view argument, Dict& arguments) {
  const Dict* const state = child_state(attributes, child);
  if (const Value* const value = state ? state->find(name) : nullptr)
    arguments.set(argument, *value);
}

/// Adds the arguments of transformers, which PyTorch stores in their children.
void complete_transformer(const ModuleSchema& schema, Dict& attributes) {
  const Value before = attributes.copy();
  const Dict& given = before.as_dict();
  if (schema.name.ends_with("Layer")) {
    copy_attribute(given, "self_attn", "embed_dim", "d_model", attributes);
    copy_attribute(given, "self_attn", "num_heads", "nhead", attributes);
    copy_attribute(given, "self_attn", "batch_first", "batch_first", attributes);
    copy_attribute(given, "linear1", "out_features", "dim_feedforward", attributes);
    copy_attribute(given, "dropout", "p", "dropout", attributes);
    copy_attribute(given, "norm1", "eps", "layer_norm_eps", attributes);
    const Dict* const linear = child_state(given, "linear1");
    const Value* const parameters = linear ? linear->find("_parameters") : nullptr;
    const Value* const bias = parameters ? parameters->find("bias") : nullptr;
    attributes.set("bias", bias && !bias->is_none());
  } else if (schema.name == "Transformer") {
    // The encoder and decoder are replaced.
    attributes.set("num_encoder_layers", 0), attributes.set("num_decoder_layers", 0);
  } else {
    attributes.set(schema.name == "TransformerEncoder" ? "encoder_layer" : "decoder_layer", {});
    if (child_state(given, "norm")) attributes.set("norm", value_of(std::make_shared<Identity>()));
  }
}

}  // namespace

void complete_attributes(const ModuleSchema& schema, Dict& attributes) {
  if (schema.file == "transformer") return complete_transformer(schema, attributes);
  if (schema.name == "LinearCrossEntropyLoss") {
    const Value before = attributes.copy();
    copy_attribute(before.as_dict(), "linear", "in_features", "in_features", attributes);
    const Dict* const linear = child_state(attributes, "linear");
    const Value* const parameters = linear ? linear->find("_parameters") : nullptr;
    const Value* const bias = parameters ? parameters->find("bias") : nullptr;
    attributes.set("bias", bias && !bias->is_none());
  }
  if (schema.name == "AdaptiveLogSoftmaxWithLoss") {
    // The last cutoff is the number of classes.
    if (const Value* const cutoffs = attributes.find("cutoffs");
        cutoffs && cutoffs->is_list() && cutoffs->size() > 0) {
      Values given = cutoffs->as_list();
      given.pop_back();
      attributes.set("cutoffs", Value::list(std::move(given)));
    }
  }
  // The child replaces the argument.
  if (schema.name == "TripletMarginWithDistanceLoss" &&
      child_state(attributes, "distance_function"))
    attributes.set("distance_function", value_of(std::make_shared<Identity>()));
  if (schema.name == "PairwiseDistance" && attributes.contains("norm"))
    attributes.set("p", attributes.at("norm"));
  if (schema.name == "MultiheadAttention") {
    const Value* const parameters = attributes.find("_parameters");
    const auto has = [&](std::string_view name) {
      const Value* const entry = parameters ? parameters->find(name) : nullptr;
      return entry && !entry->is_none();
    };
    const bool bias = has("in_proj_bias"), add_bias_kv = has("bias_k");
    attributes.set("bias", bias), attributes.set("add_bias_kv", add_bias_kv);
  }
  if (schema.file != "rnn") return;
  const Value* const layers = attributes.find("num_layers");
  const std::size_t parameters = attributes.at("_parameters").size();
  if (layers && layers->is_int() && layers->as_int() > static_cast<std::int64_t>(parameters))
    fail<ValueError>("inconsistent attributes: got num_layers={} and {} parameters",
                     layers->as_int(), parameters);
  const Value* const mode = attributes.find("mode");
  if (schema.name == "RNN" && mode && *mode == Value("RNN_RELU") &&
      !attributes.contains("nonlinearity"))
    attributes.set("nonlinearity", "relu");
}

}  // namespace taper::nn
