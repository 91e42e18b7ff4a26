// Decoder: calls a model for the next token of growing sequences.
#pragma once
#include <functional>

#include "huggingface/cache.h"
#include "huggingface/model.h"
#include "taper/core/tensor.h"

namespace generation {

/// Computes the logits `(N, T, vocabulary)` of `input_ids` `(N, T)`.
using LanguageModel = std::function<taper::Tensor(const taper::Tensor& input_ids,
                                                  const huggingface::ModelInputs& inputs)>;

/// Runs a model on sequences that grow by a token at each step, with a cache of keys and values or
/// without.
class Decoder {
 public:
  /// `attention_mask` `(N, T)` is that of the prompts, undefined if none is padded.
  Decoder(const LanguageModel& model, taper::Tensor attention_mask, bool use_cache)
      : model_(model), prompt_mask_(std::move(attention_mask)), use_cache_(use_cache) {}

  /// Returns the logits of the token after the sequences `(N, T)`: f32 `(N, vocabulary)`.
  taper::Tensor next_logits(const taper::Tensor& sequences);
  /// Replaces the cache of sequence i by that of the former sequence rows[i], which it continues.
  void reorder(const taper::Tensor& rows) {
    if (use_cache_) cache_.reorder_cache(rows);
  }

 private:
  const LanguageModel& model_;
  taper::Tensor prompt_mask_;
  bool use_cache_;
  huggingface::DynamicCache cache_{};
};

}  // namespace generation
