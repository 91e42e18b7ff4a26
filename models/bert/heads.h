// BERT with heads: masked language modeling, classification of sequences and of tokens.
#pragma once
#include "bert/bert.h"

namespace bert {

/// Projection, activation and normalization before the decoder of the masked language model.
class BertPredictionHeadTransform : public taper::nn::Layer<BertPredictionHeadTransform> {
 public:
  explicit BertPredictionHeadTransform(const BertConfig& config);
  taper::nn::Linear dense;
  std::shared_ptr<taper::nn::Module> transform_act_fn;
  taper::nn::LayerNorm LayerNorm;
  TAPER_LAYER(BertPredictionHeadTransform)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// Logits of the vocabulary for each token.
class BertLMPredictionHead : public taper::nn::Layer<BertLMPredictionHead> {
 public:
  explicit BertLMPredictionHead(const BertConfig& config);
  BertPredictionHeadTransform transform;
  taper::nn::Linear decoder;
  taper::nn::Parameter bias;  ///< that of the decoder, if weights are tied
  TAPER_LAYER(BertLMPredictionHead)
  taper::Tensor forward(const taper::Tensor& x) const;
};

/// The head of BertForMaskedLM, which gives its keys the prefix `predictions`.
class BertOnlyMLMHead : public taper::nn::Layer<BertOnlyMLMHead> {
 public:
  explicit BertOnlyMLMHead(const BertConfig& config);
  BertLMPredictionHead predictions;
  TAPER_LAYER(BertOnlyMLMHead)
  taper::Tensor forward(const taper::Tensor& x) const { return predictions(x); }
};

/// Predicts masked tokens: logits `(N, T, vocabulary)`. Hugging Face: BertForMaskedLM.
class BertForMaskedLM : public huggingface::ModelWithHead<BertForMaskedLM, BertModel> {
 public:
  explicit BertForMaskedLM(const BertConfig& config);
  BertModel bert;
  BertOnlyMLMHead cls;
  TAPER_LAYER(BertForMaskedLM)

  /// Returns `logits` and, if labels `(N, T)` are given, `loss`. Throws the errors of BertModel.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
  static huggingface::CheckpointKeyMapping checkpoint_key_mapping(const BertConfig& config);
  static void init_weights(taper::nn::Module& module, const huggingface::WeightInitializer& init);
};

/// Classifies sequences by the pooled first token: logits `(N, num_labels)`. Hugging Face:
/// BertForSequenceClassification.
class BertForSequenceClassification
    : public huggingface::ModelWithHead<BertForSequenceClassification, BertModel> {
 public:
  explicit BertForSequenceClassification(const BertConfig& config);
  BertModel bert;
  taper::nn::Dropout dropout;
  taper::nn::Linear classifier;
  TAPER_LAYER(BertForSequenceClassification)

  /// Returns `logits` and, if labels are given, `loss`; see huggingface::classification_loss.
  /// Throws the errors of BertModel.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
};

/// Classifies tokens: logits `(N, T, num_labels)`. Hugging Face: BertForTokenClassification.
class BertForTokenClassification
    : public huggingface::ModelWithHead<BertForTokenClassification, BertModel> {
 public:
  explicit BertForTokenClassification(const BertConfig& config);
  BertModel bert;
  taper::nn::Dropout dropout;
  taper::nn::Linear classifier;
  TAPER_LAYER(BertForTokenClassification)

  /// Returns `logits` and, if labels `(N, T)` are given, `loss`. Throws the errors of BertModel.
  ModelOutput forward(const taper::Tensor& input_ids, const ModelInputs& inputs = {}) const;
};

}  // namespace bert
