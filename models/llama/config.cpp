// Configuration of Llama, and loading of its files.
#include "llama/llama.h"

#include "taper/core/error.h"

namespace llama {

using namespace taper;
using huggingface::CheckpointKeyMapping;

LlamaConfig::LlamaConfig() { bos_token_id = 1, eos_token_id = 2, tie_word_embeddings = false; }

void LlamaConfig::resolve() {
  const auto fail = [](const std::string& text) { throw ValueError("LlamaConfig: " + text); };
  if (num_attention_heads < 1 || hidden_size % num_attention_heads != 0)
    fail("hidden_size = " + std::to_string(hidden_size) +
         " must be a multiple of num_attention_heads = " + std::to_string(num_attention_heads));
  if (num_key_value_heads == 0) num_key_value_heads = num_attention_heads;
  if (num_key_value_heads < 0 || num_attention_heads % num_key_value_heads != 0)
    fail("num_attention_heads = " + std::to_string(num_attention_heads) +
         " must be a multiple of num_key_value_heads = " + std::to_string(num_key_value_heads));
  if (head_dim == 0) head_dim = hidden_size / num_attention_heads;
  if (head_dim < 2 || head_dim % 2 != 0)
    fail("head_dim = " + std::to_string(head_dim) + " must be even and positive");
}

LlamaConfig LlamaConfig::from_value(const Value& config) {
  LlamaConfig c;
  const huggingface::ConfigReader read(config, "LlamaConfig");
  read.expect_model_type("llama");
  read(c), c.visit(read);
  read.expect_sizes({{"vocab_size", c.vocab_size},
                     {"hidden_size", c.hidden_size},
                     {"intermediate_size", c.intermediate_size},
                     {"num_attention_heads", c.num_attention_heads},
                     {"max_position_embeddings", c.max_position_embeddings}});
  read.expect_layers("num_hidden_layers", c.num_hidden_layers);
  c.rope_parameters = RopeParameters::from_config(read, c.max_position_embeddings);
  c.resolve();
  return c;
}

Value LlamaConfig::to_value() const {
  const Value value = huggingface::config_to_value(*this, "llama");
  const huggingface::ConfigWriter rope;
  RopeParameters(rope_parameters).visit(rope);
  value["rope_parameters"] = rope.dict();
  return value;
}

CheckpointKeyMapping LlamaModel::checkpoint_key_mapping(const LlamaConfig&) {
  // Files of old versions contain the frequencies of each layer.
  return {.base_model_prefix = "model", .is_ignored = [](std::string_view key) {
            return key.find("rotary_emb.inv_freq") != std::string_view::npos;
          }};
}

CheckpointKeyMapping LlamaForCausalLM::checkpoint_key_mapping(const LlamaConfig& c) {
  CheckpointKeyMapping mapping = LlamaModel::checkpoint_key_mapping(c);
  mapping.tied = {{"lm_head.weight", "model.embed_tokens.weight"}};
  return mapping;
}

}  // namespace llama
