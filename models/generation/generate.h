// generate: sequences of tokens from a language model.
#pragma once
#include <vector>

#include "generation/config.h"
#include "generation/decoder.h"

namespace generation {

/// Results of generate other than the sequences.
struct GenerateReport {
  /// Scores of each step after all processors, `(N, vocabulary)`; empty for beam search.
  std::vector<taper::Tensor> scores{};
  taper::Tensor sequences_scores{};  ///< of beam search: the score of each sequence, `(N)`
};

/// Continues the prompts `input_ids` `(N, T)` token by token and returns them with the new tokens,
/// `(N, T + new)`: the best token, a drawn one if `do_sample` is set, or the best sequences of a
/// beam search if `num_beams` exceeds 1. A row ends with a token of `eos_token_id` and is filled
/// with `pad_token_id`; generation ends when all rows have ended or have `max_length` tokens.
///
/// `attention_mask` is 0 for padding on the left of the prompts. Default: 0 at tokens
/// equal to `pad_token_id`, unless that is an end token. Fields of `config` that are not set are
/// those of `defaults`. Tokens are drawn from the default generator, as by torch.multinomial.
///
/// Throws taper::ValueError for options out of range, taper::ShapeError unless the mask has the
/// shape of the prompts, taper::NotImplementedError for unsupported options of a
/// generation_config.json. Hugging Face: GenerationMixin.generate.
taper::Tensor generate(const LanguageModel& model, const GenerationConfig& defaults,
                       const taper::Tensor& input_ids, const GenerationConfig& config,
                       const taper::Tensor& attention_mask = {}, GenerateReport* report = nullptr);

}  // namespace generation
