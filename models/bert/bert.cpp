#include "bert/bert.h"

#include "taper/core/error.h"

namespace bert {

using namespace taper;
using huggingface::CheckpointKeyMapping;
using huggingface::WeightInitializer;

TAPER_LAYER_MEMBERS(BertModel, embeddings, encoder)

BertConfig::BertConfig() { pad_token_id = 0; }

BertConfig BertConfig::from_value(const Value& config) {
  BertConfig c;
  const huggingface::ConfigReader read(config, "BertConfig");
  read.expect_model_type("bert");
  read(c), c.visit(read);
  read.reject_if_true("is_decoder");
  read.reject_if_true("add_cross_attention");
  std::string positions = "absolute";
  if (read("position_embedding_type", positions); positions != "absolute")
    throw NotImplementedError("BertConfig: position_embedding_type '" + positions +
                              "' is not supported");
  read.expect_sizes({{"vocab_size", c.vocab_size},
                     {"hidden_size", c.hidden_size},
                     {"num_attention_heads", c.num_attention_heads},
                     {"intermediate_size", c.intermediate_size},
                     {"max_position_embeddings", c.max_position_embeddings},
                     {"type_vocab_size", c.type_vocab_size}});
  read.expect_layers("num_hidden_layers", c.num_hidden_layers);
  if (c.hidden_size % c.num_attention_heads != 0)
    read.fail(
        "hidden_size = " + std::to_string(c.hidden_size) +
        " must be a multiple of num_attention_heads = " + std::to_string(c.num_attention_heads));
  return c;
}

Value BertConfig::to_value() const { return huggingface::config_to_value(*this, "bert"); }

BertModel::BertModel(const BertConfig& c, bool add_pooling_layer)
    : PreTrainedModel(c), embeddings(c), encoder(c) {
  // In Python, an absent pooler is not registered.
  if (add_pooling_layer) register_module("pooler", BertPooler(c));
  const WeightInitializer init(c.initializer_range);
  apply([&](nn::Module& module) { init_weights(module, init); });
}

ModelOutput BertModel::forward(const Tensor& input_ids, const ModelInputs& inputs) const {
  const auto [rows, tokens] = huggingface::size_of_inputs(input_ids, inputs);
  if (inputs.past_key_values)
    throw ValueError("BertModel: an encoder does not use past_key_values");
  const Tensor embedded = embeddings(input_ids, inputs, tokens);
  const AttentionMask mask =
      huggingface::create_bidirectional_mask(rows, tokens, inputs.attention_mask);
  ModelOutput out;
  if (inputs.output_hidden_states) out.hidden_states.push_back(embedded);
  out.last_hidden_state =
      encoder(embedded, mask, inputs.output_hidden_states ? &out.hidden_states : nullptr);
  if (has_attr("pooler")) out.pooler_output = attr<BertPooler>("pooler")(out.last_hidden_state);
  return out;
}

void BertModel::init_weights(nn::Module& module, const WeightInitializer& init) { init(module); }

CheckpointKeyMapping BertModel::checkpoint_key_mapping(const BertConfig&) {
  // Old files have other names of the normalizations, and contain the positions.
  return {
      .base_model_prefix = "bert",
      .renamings = {{"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"}},
      .is_ignored = [](std::string_view key) {
        return key == "position_ids" || key.ends_with(".position_ids");
      }};
}

}  // namespace bert
