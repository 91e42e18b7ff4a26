// Samples of layers for the tests of the class registry.
#pragma once
#include <string>
#include <vector>

#include "taper/nn/nn.h"

namespace layer_samples {

using namespace taper;

inline Value kw(std::initializer_list<std::pair<Value, Value>> entries) {
  return Value::dict(entries);
}
inline Value pair_of(std::int64_t a, std::int64_t b) { return Value::tuple({a, b}); }

struct Sample {
  const char* name;
  Value arguments;  // values that differ from the defaults
  const char* printed;
};

/// Appends samples of embeddings, normalizations, attention, transformers and distances, with a
/// value for each argument.
inline std::vector<Sample> sequence_layer_samples(std::vector<Sample> all) {
  static std::vector<std::string> kept;  // owns the composed strings, to which samples refer
  const auto keep = [](std::string text) {
    kept.reserve(8);
    return kept.emplace_back(std::move(text)).c_str();
  };
  const Value transformer = kw({{"d_model", 4},
                                {"nhead", 2},
                                {"dim_feedforward", 6},
                                {"dropout", 0.5},
                                {"activation", "gelu"},
                                {"layer_norm_eps", 0.25},
                                {"batch_first", true},
                                {"norm_first", true},
                                {"bias", false},
                                {"device", Device::cpu()},
                                {"dtype", float64}});
  Value whole_transformer = transformer.as_dict().copy();
  whole_transformer["num_encoder_layers"] = 1;
  whole_transformer["num_decoder_layers"] = 2;
  whole_transformer["custom_encoder"] = Value();
  whole_transformer["custom_decoder"] = Value();
  const std::string attention =
      "MultiheadAttention(\n    (out_proj): NonDynamicallyQuantizableLinear(in_features=4, "
      "out_features=4, bias=False)\n  )\n";
  const std::string linears =
      "  (linear1): Linear(in_features=4, out_features=6, bias=False)\n"
      "  (dropout): Dropout(p=0.5, inplace=False)\n"
      "  (linear2): Linear(in_features=6, out_features=4, bias=False)\n";
  const auto numbered = [](const char* name, int count, const std::string& text) {
    std::string lines;
    for (int i = 1; i <= count; ++i)
      lines += std::string("  (") + name + std::to_string(i) + "): " + text + "\n";
    return lines;
  };
  const auto rest = [&](int count) {
    return linears +
           numbered("norm", count,
                    "LayerNorm((4,), eps=0.25, elementwise_affine=True, bias=False)") +
           numbered("dropout", count, "Dropout(p=0.5, inplace=False)") + ")";
  };
  const char* const encoder_text =
      keep("TransformerEncoderLayer(\n  (self_attn): " + attention + rest(2));
  const char* const decoder_text = keep("TransformerDecoderLayer(\n  (self_attn): " + attention +
                                        "  (multihead_attn): " + attention + rest(3));
  const std::vector<Sample> more{
      {"Embedding",
       kw({{"num_embeddings", 5},
           {"embedding_dim", 3},
           {"padding_idx", 2},
           {"max_norm", 1.5},
           {"norm_type", 1.0},
           {"scale_grad_by_freq", true},
           {"_freeze", true},
           {"device", Device::cpu()},
           {"dtype", float64}}),
       "Embedding(5, 3, padding_idx=2, max_norm=1.5, norm_type=1.0, scale_grad_by_freq=True)"},
      {"EmbeddingBag",
       kw({{"num_embeddings", 5},
           {"embedding_dim", 3},
           {"max_norm", 1.5},
           {"norm_type", 1.0},
           {"scale_grad_by_freq", true},
           {"mode", "sum"},
           {"include_last_offset", true},
           {"padding_idx", 2},
           {"device", Device::cpu()},
           {"dtype", float64}}),
       "EmbeddingBag(5, 3, max_norm=1.5, norm_type=1.0, scale_grad_by_freq=True, mode='sum', "
       "padding_idx=2)"},
      {"LayerNorm",
       kw({{"normalized_shape", pair_of(2, 3)},
           {"eps", 0.5},
           {"elementwise_affine", true},
           {"bias", false},
           {"device", Device::cpu()},
           {"dtype", float64}}),
       "LayerNorm((2, 3), eps=0.5, elementwise_affine=True, bias=False)"},
      {"GroupNorm",
       kw({{"num_groups", 2},
           {"num_channels", 4},
           {"eps", 0.5},
           {"affine", true},
           {"device", Device::cpu()},
           {"dtype", float64},
           {"bias", false}}),
       "GroupNorm(2, 4, eps=0.5, affine=True, bias=False)"},
      {"RMSNorm",
       kw({{"normalized_shape", pair_of(2, 3)},
           {"eps", 0.5},
           {"elementwise_affine", true},
           {"device", Device::cpu()},
           {"dtype", float64}}),
       "RMSNorm((2, 3), eps=0.5, elementwise_affine=True)"},
      {"LocalResponseNorm", kw({{"size", 3}, {"alpha", 0.5}, {"beta", 0.25}, {"k", 2.0}}),
       "LocalResponseNorm(3, alpha=0.5, beta=0.25, k=2.0)"},
      {"CrossMapLRN2d", kw({{"size", 3}, {"alpha", 0.5}, {"beta", 0.25}, {"k", 2}}),
       "CrossMapLRN2d(3, alpha=0.5, beta=0.25, k=2)"},
      {"NonDynamicallyQuantizableLinear",
       kw({{"in_features", 2},
           {"out_features", 3},
           {"bias", false},
           {"device", Device::cpu()},
           {"dtype", float64}}),
       "NonDynamicallyQuantizableLinear(in_features=2, out_features=3, bias=False)"},
      {"MultiheadAttention",
       kw({{"embed_dim", 4},
           {"num_heads", 2},
           {"dropout", 0.5},
           {"bias", false},
           {"add_bias_kv", true},
           {"add_zero_attn", true},
           {"kdim", 3},
           {"vdim", 5},
           {"batch_first", true},
           {"device", Device::cpu()},
           {"dtype", float64}}),
       "MultiheadAttention(\n  (out_proj): NonDynamicallyQuantizableLinear(in_features=4, "
       "out_features=4, bias=False)\n)"},
      {"TransformerEncoderLayer", transformer, encoder_text},
      {"TransformerDecoderLayer", transformer, decoder_text},
      // A stack describes its first layer: without layers, all arguments can be compared.
      {"TransformerEncoder",
       kw({{"encoder_layer", Value()},
           {"num_layers", 2},
           {"norm", Value()},
           {"enable_nested_tensor", false},
           {"mask_check", false}}),
       "TransformerEncoder(\n  (layers): ModuleList()\n)"},
      {"TransformerDecoder", kw({{"decoder_layer", Value()}, {"num_layers", 2}, {"norm", Value()}}),
       "TransformerDecoder(\n  (layers): ModuleList()\n)"},
      {"Transformer", whole_transformer,
       keep(nn::make("Transformer", {}, whole_transformer)->str())},
      {"CosineSimilarity", kw({{"dim", 2}, {"eps", 0.5}}), "CosineSimilarity()"},
      {"PairwiseDistance", kw({{"p", 1.0}, {"eps", 0.5}, {"keepdim", true}}), "PairwiseDistance()"},
      {"Bilinear",
       kw({{"in1_features", 2},
           {"in2_features", 3},
           {"out_features", 4},
           {"bias", false},
           {"device", Device::cpu()},
           {"dtype", float64}}),
       "Bilinear(in1_features=2, in2_features=3, out_features=4, bias=False)"},
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Appends samples of losses, with a value for each argument.
inline std::vector<Sample> loss_samples(std::vector<Sample> all) {
  const auto reduced = [](std::initializer_list<std::pair<Value, Value>> more) {
    Value arguments = kw({{"size_average", Value()}, {"reduce", Value()}, {"reduction", "sum"}});
    for (const auto& [key, value] : more) arguments.as_dict().set(key, value);
    return arguments;
  };
  const Value without_weight = reduced({{"weight", Value()}});
  const std::vector<Sample> more{
      {"MSELoss", reduced({}), "MSELoss()"},
      {"L1Loss", reduced({}), "L1Loss()"},
      {"SmoothL1Loss", reduced({{"beta", 0.5}}), "SmoothL1Loss()"},
      {"BCELoss", without_weight, "BCELoss()"},
      {"BCEWithLogitsLoss", reduced({{"weight", Value()}, {"pos_weight", Value()}}),
       "BCEWithLogitsLoss()"},
      {"HuberLoss", kw({{"reduction", "sum"}, {"delta", 0.5}}), "HuberLoss()"},
      {"KLDivLoss", reduced({{"log_target", true}}), "KLDivLoss()"},
      {"PoissonNLLLoss", reduced({{"log_input", false}, {"full", true}, {"eps", 0.5}}),
       "PoissonNLLLoss()"},
      {"GaussianNLLLoss", kw({{"full", true}, {"eps", 0.5}, {"reduction", "sum"}}),
       "GaussianNLLLoss()"},
      {"SoftMarginLoss", reduced({}), "SoftMarginLoss()"},
      {"HingeEmbeddingLoss", reduced({{"margin", 0.5}}), "HingeEmbeddingLoss()"},
      {"MarginRankingLoss", reduced({{"margin", 0.5}}), "MarginRankingLoss()"},
      {"CosineEmbeddingLoss", reduced({{"margin", 0.5}}), "CosineEmbeddingLoss()"},
      {"MultiLabelMarginLoss", reduced({}), "MultiLabelMarginLoss()"},
      {"MultiLabelSoftMarginLoss", without_weight, "MultiLabelSoftMarginLoss()"},
      {"MultiMarginLoss", reduced({{"p", 2}, {"margin", 0.5}, {"weight", Value()}}),
       "MultiMarginLoss()"},
      {"TripletMarginLoss", reduced({{"margin", 0.5}, {"p", 1.0}, {"eps", 0.5}, {"swap", true}}),
       "TripletMarginLoss()"},
      {"TripletMarginWithDistanceLoss", kw({{"margin", 0.5}, {"swap", true}, {"reduction", "sum"}}),
       "TripletMarginWithDistanceLoss(\n  (distance_function): PairwiseDistance()\n)"},
      {"CTCLoss", kw({{"blank", 2}, {"reduction", "sum"}, {"zero_infinity", true}}), "CTCLoss()"},
      {"AdaptiveLogSoftmaxWithLoss",
       kw({{"in_features", 4},
           {"n_classes", 5},
           {"cutoffs", Value::list({3})},
           {"div_value", 2.0},
           {"head_bias", true},
           {"device", Device::cpu()},
           {"dtype", float64}}),
       "AdaptiveLogSoftmaxWithLoss(\n  (head): Linear(in_features=4, out_features=4, bias=True)\n  "
       "(tail): ModuleList(\n    (0): Sequential(\n      (0): Linear(in_features=4, "
       "out_features=2, "
       "bias=False)\n      (1): Linear(in_features=2, out_features=2, bias=False)\n    )\n  )\n)"},
      {"LinearCrossEntropyLoss",
       kw({{"in_features", 2},
           {"num_classes", 3},
           {"out_features", pair_of(4, 5)},
           {"bias", true},
           {"device", Device::cpu()},
           {"dtype", float64},
           {"reduction", "sum"},
           {"weight", Value()},
           {"ignore_index", 1},
           {"label_smoothing", 0.5},
           {"options", Value()}}),
       "LinearCrossEntropyLoss(\n  in_features=2, num_classes=3, out_features=(4, 5), bias=True, "
       "reduction=sum, ignore_index=1, label_smoothing=0.5, options=None\n  (linear): "
       "Linear(in_features=2, out_features=60, bias=True)\n)"},
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace layer_samples
