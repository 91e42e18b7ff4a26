#include "gpt2/gpt2.h"

#include "taper/core/error.h"

namespace gpt2 {

using namespace taper;
using huggingface::CheckpointKeyMapping;
using huggingface::WeightInitializer;

TAPER_LAYER_MEMBERS(GPT2Model, wte, wpe, drop, h, ln_f)
TAPER_LAYER_MEMBERS(GPT2LMHeadModel, transformer, lm_head)

GPT2Config::GPT2Config() { bos_token_id = 50256, eos_token_id = 50256; }

GPT2Config GPT2Config::from_value(const Value& config) {
  GPT2Config c;
  const huggingface::ConfigReader read(config, "GPT2Config");
  read.expect_model_type("gpt2");
  read(c), c.visit(read);
  read("max_position_embeddings", c.n_positions)("hidden_size", c.n_embd);
  read("num_hidden_layers", c.n_layer)("num_attention_heads", c.n_head);
  read.reject_if_true("add_cross_attention");
  read.expect_sizes({{"vocab_size", c.vocab_size},
                     {"n_positions", c.n_positions},
                     {"n_embd", c.n_embd},
                     {"n_head", c.n_head},
                     {"n_inner", c.n_inner.value_or(1)}});
  read.expect_layers("n_layer", c.n_layer);
  if (c.n_embd % c.n_head != 0)
    read.fail("n_embd = " + std::to_string(c.n_embd) +
              " must be a multiple of n_head = " + std::to_string(c.n_head));
  return c;
}

Value GPT2Config::to_value() const { return huggingface::config_to_value(*this, "gpt2"); }

namespace {

nn::ModuleList make_blocks(const GPT2Config& c) {
  nn::ModuleList blocks;
  for (std::int64_t i = 0; i < c.n_layer; ++i) blocks.append(GPT2Block(c, i));
  return blocks;
}

}  // namespace

GPT2Model::GPT2Model(const GPT2Config& c)
    : PreTrainedModel(c),
      wte(c.vocab_size, c.n_embd),
      wpe(c.n_positions, c.n_embd),
      drop(c.embd_pdrop),
      h(make_blocks(c)),
      ln_f(c.n_embd, {.eps = c.layer_norm_epsilon}) {
  const WeightInitializer init(c.initializer_range);
  apply([&](nn::Module& module) { init_weights(module, init); });
}

ModelOutput GPT2Model::forward(const Tensor& input_ids, const ModelInputs& inputs) const {
  const auto [rows, tokens] = huggingface::size_of_inputs(input_ids, inputs);
  DynamicCache* const cache = inputs.past_key_values;
  const std::int64_t past = cache ? cache->get_seq_length() : 0;
  Tensor positions = inputs.position_ids;
  if (!positions.defined()) {
    if (past + tokens > config.n_positions)
      throw ValueError("GPT2Model: a sequence of " + std::to_string(past + tokens) +
                       " tokens exceeds n_positions = " + std::to_string(config.n_positions));
    positions = huggingface::default_positions(tokens, past);
  }
  Tensor hidden = input_ids.defined() ? wte(input_ids) : inputs.inputs_embeds;
  hidden = hidden + wpe(positions);
  if (inputs.token_type_ids.defined()) hidden = hidden + wte(inputs.token_type_ids);
  hidden = drop(hidden);
  const AttentionMask mask =
      huggingface::create_causal_mask(rows, tokens, past, inputs.attention_mask);

  ModelOutput out;
  for (nn::Module& block : h) {
    if (inputs.output_hidden_states) out.hidden_states.push_back(hidden);
    hidden = huggingface::layer_as<GPT2Block>(block)(hidden, mask, cache);
  }
  out.last_hidden_state = ln_f(hidden);
  if (inputs.output_hidden_states) out.hidden_states.push_back(out.last_hidden_state);
  return out;
}

void GPT2Model::init_weights(nn::Module& module, const WeightInitializer& init) {
  init(module);
  if (const auto conv = module.as<Conv1D>()) {
    init.normal_(conv->weight);
    init.zeros_(conv->bias);
  } else if (const auto attention = module.as<GPT2Attention>()) {
    init.normal_(attention->c_proj.weight, attention->residual_std);
  } else if (const auto mlp = module.as<GPT2MLP>()) {
    init.normal_(mlp->c_proj.weight, mlp->residual_std);
  }
}

CheckpointKeyMapping GPT2Model::checkpoint_key_mapping(const GPT2Config&) {
  // The first files contain the causal masks.
  return {.base_model_prefix = "transformer", .is_ignored = [](std::string_view key) {
            return key.find("attn.bias") != std::string_view::npos;
          }};
}

GPT2LMHeadModel::GPT2LMHeadModel(const GPT2Config& c)
    : CausalLM(c), transformer(c), lm_head(c.n_embd, c.vocab_size, {.bias = false}) {
  WeightInitializer init(c.initializer_range);
  init(lm_head);
  if (c.tie_word_embeddings) lm_head.weight = transformer.wte.weight;
}

ModelOutput GPT2LMHeadModel::forward(const Tensor& input_ids, const ModelInputs& inputs) const {
  ModelOutput out = transformer(input_ids, inputs);
  out.logits = lm_head(huggingface::keep_last(out.last_hidden_state, inputs.logits_to_keep));
  if (inputs.labels.defined()) out.loss = huggingface::causal_lm_loss(out.logits, inputs.labels);
  return out;
}

CheckpointKeyMapping GPT2LMHeadModel::checkpoint_key_mapping(const GPT2Config& c) {
  CheckpointKeyMapping mapping = GPT2Model::checkpoint_key_mapping(c);
  mapping.tied = {{"lm_head.weight", "transformer.wte.weight"}};
  return mapping;
}

}  // namespace gpt2
