#include "bert/heads.h"

#include "huggingface/activations.h"
#include "taper/core/factory.h"

namespace bert {

using namespace taper;
using huggingface::CheckpointKeyMapping;
using huggingface::WeightInitializer;

TAPER_LAYER_MEMBERS(BertPredictionHeadTransform, dense, transform_act_fn, LayerNorm)
TAPER_LAYER_MEMBERS(BertLMPredictionHead, bias, transform, decoder)
TAPER_LAYER_MEMBERS(BertOnlyMLMHead, predictions)
TAPER_LAYER_MEMBERS(BertForMaskedLM, bert, cls)
TAPER_LAYER_MEMBERS(BertForSequenceClassification, bert, dropout, classifier)
TAPER_LAYER_MEMBERS(BertForTokenClassification, bert, dropout, classifier)

BertPredictionHeadTransform::BertPredictionHeadTransform(const BertConfig& c)
    : dense(c.hidden_size, c.hidden_size),
      transform_act_fn(huggingface::make_activation(c.hidden_act)),
      LayerNorm(c.hidden_size, {.eps = c.layer_norm_eps}) {}

Tensor BertPredictionHeadTransform::forward(const Tensor& x) const {
  return LayerNorm((*transform_act_fn)(dense(x)));
}

BertLMPredictionHead::BertLMPredictionHead(const BertConfig& c)
    : transform(c), decoder(c.hidden_size, c.vocab_size), bias(zeros({c.vocab_size})) {}

Tensor BertLMPredictionHead::forward(const Tensor& x) const { return decoder(transform(x)); }

BertOnlyMLMHead::BertOnlyMLMHead(const BertConfig& c) : predictions(c) {}

BertForMaskedLM::BertForMaskedLM(const BertConfig& c) : ModelWithHead(c), bert(c, false), cls(c) {
  const WeightInitializer init(c.initializer_range);
  cls.apply([&](nn::Module& module) { init_weights(module, init); });
  if (!c.tie_word_embeddings) return;
  cls.predictions.decoder.weight = bert.embeddings.word_embeddings.weight;
  cls.predictions.decoder.bias = cls.predictions.bias;
}

ModelOutput BertForMaskedLM::forward(const Tensor& input_ids, const ModelInputs& inputs) const {
  ModelOutput out = bert(input_ids, inputs);
  out.logits = cls(out.last_hidden_state);
  if (inputs.labels.defined()) out.loss = huggingface::token_loss(out.logits, inputs.labels);
  return out;
}

CheckpointKeyMapping BertForMaskedLM::checkpoint_key_mapping(const BertConfig& c) {
  CheckpointKeyMapping mapping = BertModel::checkpoint_key_mapping(c);
  mapping.tied = {{"cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"},
                  {"cls.predictions.decoder.bias", "cls.predictions.bias"}};
  return mapping;
}

void BertForMaskedLM::init_weights(nn::Module& module, const WeightInitializer& init) {
  BertModel::init_weights(module, init);
  if (const auto head = module.as<BertLMPredictionHead>()) init.zeros_(head->bias);
}

BertForSequenceClassification::BertForSequenceClassification(const BertConfig& c)
    : ModelWithHead(c),
      bert(c),
      dropout(c.classifier_dropout.value_or(c.hidden_dropout_prob)),
      classifier(c.hidden_size, c.num_labels) {
  WeightInitializer init(c.initializer_range);
  init(classifier);
}

ModelOutput BertForSequenceClassification::forward(const Tensor& input_ids,
                                                   const ModelInputs& inputs) const {
  ModelOutput out = bert(input_ids, inputs);
  out.logits = classifier(dropout(out.pooler_output));
  if (inputs.labels.defined())
    out.loss = huggingface::classification_loss(out.logits, inputs.labels, config);
  return out;
}

BertForTokenClassification::BertForTokenClassification(const BertConfig& c)
    : ModelWithHead(c),
      bert(c, false),
      dropout(c.classifier_dropout.value_or(c.hidden_dropout_prob)),
      classifier(c.hidden_size, c.num_labels) {
  WeightInitializer init(c.initializer_range);
  init(classifier);
}

ModelOutput BertForTokenClassification::forward(const Tensor& input_ids,
                                                const ModelInputs& inputs) const {
  ModelOutput out = bert(input_ids, inputs);
  out.logits = classifier(dropout(out.last_hidden_state));
  if (inputs.labels.defined()) out.loss = huggingface::token_loss(out.logits, inputs.labels);
  return out;
}

}  // namespace bert
