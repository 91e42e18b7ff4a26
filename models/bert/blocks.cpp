// The parts of BERT: embeddings, attention, feedforward layers, pooler.
#include <cmath>

#include "bert/bert.h"
#include "huggingface/activations.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace bert {

using namespace taper;
using huggingface::attend;
using huggingface::split_heads;

TAPER_LAYER_MEMBERS(BertEmbeddings, word_embeddings, position_embeddings, token_type_embeddings,
                    LayerNorm, dropout, position_ids, token_type_ids)
TAPER_LAYER_MEMBERS(BertSelfAttention, query, key, value, dropout)
TAPER_LAYER_MEMBERS(BertSelfOutput, dense, LayerNorm, dropout)
TAPER_LAYER_MEMBERS(BertOutput, dense, LayerNorm, dropout)
TAPER_LAYER_MEMBERS(BertAttention, self, output)
TAPER_LAYER_MEMBERS(BertIntermediate, dense, intermediate_act_fn)
TAPER_LAYER_MEMBERS(BertLayer, attention, intermediate, output)
TAPER_LAYER_MEMBERS(BertEncoder, layer)
TAPER_LAYER_MEMBERS(BertPooler, dense, activation)

namespace {

// Not computed from the weights, so they have values even if the model is constructed on meta.
const TensorOptions kIdsOnCpu{.dtype = DType::i64, .device = Device::cpu()};

}  // namespace

BertEmbeddings::BertEmbeddings(const BertConfig& c)
    : word_embeddings(c.vocab_size, c.hidden_size, {.padding_idx = c.pad_token_id}),
      position_embeddings(c.max_position_embeddings, c.hidden_size),
      token_type_embeddings(c.type_vocab_size, c.hidden_size),
      LayerNorm(c.hidden_size, {.eps = c.layer_norm_eps}),
      dropout(c.hidden_dropout_prob),
      position_ids(arange(0, c.max_position_embeddings, 1, kIdsOnCpu).unsqueeze(0), false),
      token_type_ids(zeros({1, c.max_position_embeddings}, kIdsOnCpu), false) {}

Tensor BertEmbeddings::forward(const Tensor& input_ids, const ModelInputs& inputs,
                               std::int64_t tokens) const {
  if (!inputs.position_ids.defined() && tokens > position_ids.size(1))
    throw ValueError(
        "BertModel: a sequence of " + std::to_string(tokens) +
        " tokens exceeds max_position_embeddings = " + std::to_string(position_ids.size(1)));
  const Tensor words = input_ids.defined() ? word_embeddings(input_ids) : inputs.inputs_embeds;
  const Tensor types =
      inputs.token_type_ids.defined() ? inputs.token_type_ids : token_type_ids.narrow(1, 0, 1);
  const Tensor positions =
      inputs.position_ids.defined() ? inputs.position_ids : position_ids.narrow(1, 0, tokens);
  const Tensor segments = token_type_embeddings(types);
  return dropout(LayerNorm(words + segments + position_embeddings(positions)));
}

BertSelfAttention::BertSelfAttention(const BertConfig& c)
    : head_dim(c.hidden_size / c.num_attention_heads),
      query(c.hidden_size, c.hidden_size),
      key(c.hidden_size, c.hidden_size),
      value(c.hidden_size, c.hidden_size),
      dropout(c.attention_probs_dropout_prob) {}

Tensor BertSelfAttention::forward(const Tensor& x, const AttentionMask& mask) const {
  const Tensor q = split_heads(query(x), head_dim), k = split_heads(key(x), head_dim),
               v = split_heads(value(x), head_dim);
  return attend(q, k, v, mask, 1 / std::sqrt(static_cast<double>(head_dim)),
                training ? dropout.p.to_double() : 0);
}

BertSelfOutput::BertSelfOutput(std::int64_t features, const BertConfig& c)
    : dense(features, c.hidden_size),
      LayerNorm(c.hidden_size, {.eps = c.layer_norm_eps}),
      dropout(c.hidden_dropout_prob) {}

Tensor BertSelfOutput::forward(const Tensor& x, const Tensor& input) const {
  return LayerNorm(dropout(dense(x)) + input);
}

BertAttention::BertAttention(const BertConfig& c) : self(c), output(c.hidden_size, c) {}

Tensor BertAttention::forward(const Tensor& x, const AttentionMask& mask) const {
  return output(self(x, mask), x);
}

BertIntermediate::BertIntermediate(const BertConfig& c)
    : dense(c.hidden_size, c.intermediate_size),
      intermediate_act_fn(huggingface::make_activation(c.hidden_act)) {}

Tensor BertIntermediate::forward(const Tensor& x) const { return (*intermediate_act_fn)(dense(x)); }

BertLayer::BertLayer(const BertConfig& c)
    : attention(c), intermediate(c), output(c.intermediate_size, c) {}

Tensor BertLayer::forward(const Tensor& x, const AttentionMask& mask) const {
  const Tensor attended = attention(x, mask);
  return output(intermediate(attended), attended);
}

BertEncoder::BertEncoder(const BertConfig& c) {
  for (std::int64_t i = 0; i < c.num_hidden_layers; ++i) layer.append(BertLayer(c));
}

Tensor BertEncoder::forward(Tensor x, const AttentionMask& mask,
                            std::vector<Tensor>* hidden_states) const {
  for (nn::Module& module : layer) {
    x = huggingface::layer_as<BertLayer>(module)(x, mask);
    if (hidden_states) hidden_states->push_back(x);
  }
  return x;
}

BertPooler::BertPooler(const BertConfig& c) : dense(c.hidden_size, c.hidden_size) {}

Tensor BertPooler::forward(const Tensor& hidden_states) const {
  return activation(dense(hidden_states.select(1, 0)));
}

}  // namespace bert
