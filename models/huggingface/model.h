// Inputs, outputs and losses of the models.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "huggingface/cache.h"
#include "huggingface/config.h"
#include "taper/core/error.h"
#include "taper/nn/convert.h"
#include "taper/nn/module.h"

namespace huggingface {

/// Optional inputs of a model: for T tokens in each of N rows, or for N images. An undefined tensor
/// is absent.
struct ModelInputs {
  /// 0 for padding, `(N, T)`, or `(N, past + T)` with a cache; default: no padding.
  taper::Tensor attention_mask{};
  taper::Tensor token_type_ids{};  ///< `(N, T)`; default: 0 for BERT, none for GPT-2
  /// Positions `(N, T)` or `(1, T)`; default: they count from the first column, including padding.
  taper::Tensor position_ids{};
  taper::Tensor inputs_embeds{};  ///< `(N, T, C)`, used instead of an undefined `input_ids`
  taper::Tensor labels{};         ///< computes the loss; -100 is ignored
  /// Cache of the preceding tokens, to which these are appended; decoders only.
  DynamicCache* past_key_values = nullptr;
  bool output_hidden_states = false;  ///< returns the hidden states
  std::int64_t logits_to_keep = 0;    ///< computes the logits of the last tokens only; 0: all
  /// Interpolates the embeddings of positions for images of another size.
  bool interpolate_pos_encoding = false;
};

/// Results of a model; those that a class does not compute are undefined.
struct ModelOutput {
  taper::Tensor loss{};               ///< defined if labels were given
  taper::Tensor logits{};             ///< `(N, T, vocabulary)`, or `(N, labels)` of a classifier
  taper::Tensor last_hidden_state{};  ///< `(N, T, C)`
  taper::Tensor pooler_output{};      ///< `(N, C)`
  /// The embeddings and the output of each layer, `(N, T, C)`; the last one of GPT-2 and Llama is
  /// after the final normalization.
  std::vector<taper::Tensor> hidden_states{};
};

// Conversion of the defined fields to a dict, for calls with Values: `model.call({ids})["logits"]`.
taper::Value to_value(const ModelInputs& inputs);
taper::Value to_value(const ModelOutput& output);
/// Throws taper::TypeError for a field of another name.
ModelInputs inputs_from_value(const taper::Value& value);
ModelOutput output_from_value(const taper::Value& value);

/// Number of rows and of tokens of the inputs of a model.
struct InputSize {
  std::int64_t rows, tokens;
};
/// Returns the size of the inputs. Throws taper::ShapeError unless `input_ids` is `(N, T)`, or
/// `inputs_embeds` `(N, T, C)` and `input_ids` undefined.
InputSize size_of_inputs(const taper::Tensor& input_ids, const ModelInputs& inputs);

/// Returns the positions `(1, tokens)` after `past` cached tokens.
taper::Tensor default_positions(std::int64_t tokens, std::int64_t past);

/// Returns the last `count` tokens of `x` `(N, T, C)`; all if `count` is 0.
taper::Tensor keep_last(const taper::Tensor& x, std::int64_t count);

/// Cross entropy of the token after each position, for logits `(N, T, vocabulary)` and labels `(N,
/// T)`; -100 is ignored.
taper::Tensor causal_lm_loss(const taper::Tensor& logits, const taper::Tensor& labels);
/// Cross entropy of logits `(..., C)` and labels `(...)`; -100 is ignored.
taper::Tensor token_loss(const taper::Tensor& logits, const taper::Tensor& labels);
/// Loss of a classifier with logits `(N, num_labels)`: mean squared error for regression, cross
/// entropy for one label of each row, binary cross entropy for several.
taper::Tensor classification_loss(const taper::Tensor& logits, const taper::Tensor& labels,
                                  const PretrainedConfig& config);

/// Returns an element of a ModuleList as class M. Throws taper::TypeError if it is of another
/// class.
template <class M> M& layer_as(taper::nn::Module& layer) {
  if (M* known = layer.as<M>()) return *known;
  throw taper::TypeError("a layer of the model was replaced by a module of another class: " +
                         std::string(layer.type_name()));
}

}  // namespace huggingface

namespace taper::nn {

template <> struct Convert<huggingface::ModelInputs> {
  static Value to(const huggingface::ModelInputs& v) { return huggingface::to_value(v); }
  static huggingface::ModelInputs from(const Value& v) { return huggingface::inputs_from_value(v); }
};
template <> struct Convert<huggingface::ModelOutput> {
  static Value to(const huggingface::ModelOutput& v) { return huggingface::to_value(v); }
  static huggingface::ModelOutput from(const Value& v) { return huggingface::output_from_value(v); }
};

}  // namespace taper::nn
