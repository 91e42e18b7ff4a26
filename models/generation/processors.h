// Processors of the scores from which the next token is selected.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "generation/config.h"
#include "taper/core/tensor.h"

namespace generation {

// Each function maps scores `(N, vocabulary)` to new scores, where a removed token has -infinity.
// `input_ids` `(N, T)` are the tokens before the next one. The functions throw taper::ValueError if
// their option is out of range.

/// Divides the scores of tokens that are present by `penalty` if positive, and multiplies them by
/// it if negative (Keskar et al., 2019). The first ignored_prefix[i] tokens of row i do not count;
/// undefined: all count. Hugging Face: RepetitionPenaltyLogitsProcessor.
taper::Tensor penalize_repetition(const taper::Tensor& input_ids, const taper::Tensor& scores,
                                  double penalty, const taper::Tensor& ignored_prefix = {});
/// Removes tokens that would complete an n-gram of `size` tokens that is present. Hugging Face:
/// NoRepeatNGramLogitsProcessor.
taper::Tensor remove_repeated_ngrams(const taper::Tensor& input_ids, const taper::Tensor& scores,
                                     std::int64_t size);
/// Removes the given tokens.
taper::Tensor remove_tokens(const taper::Tensor& scores, const TokenIds& ids);
/// Divides the scores by `temperature`. Hugging Face: TemperatureLogitsWarper.
taper::Tensor scale_by_temperature(const taper::Tensor& scores, double temperature);
/// Keeps the k best tokens and those with the score of the k-th. Hugging Face: TopKLogitsWarper.
taper::Tensor keep_top_k(const taper::Tensor& scores, std::int64_t k, std::int64_t min_kept = 1);
/// Keeps the smallest set of most probable tokens whose probabilities add up to p or more, but at
/// least `min_kept` tokens (Holtzman et al., 2020). Hugging Face: TopPLogitsWarper.
taper::Tensor keep_top_p(const taper::Tensor& scores, double p, std::int64_t min_kept = 1);
/// Keeps tokens whose probability is at least `min_p` times that of the best one, or at least
/// `min_kept`. Hugging Face: MinPLogitsWarper.
taper::Tensor keep_min_p(const taper::Tensor& scores, double min_p, std::int64_t min_kept = 1);

/// Function of the tokens before the next one and its scores.
using LogitsProcessor =
    std::function<taper::Tensor(const taper::Tensor& input_ids, const taper::Tensor& scores)>;

/// Functions that are applied in order.
class LogitsProcessorList {
 public:
  /// Returns the processors of `config` for prompts of `prompt_length` tokens, in the order of
  /// Hugging Face: repetitions, n-grams, the minimum length, and, if tokens are drawn, temperature,
  /// top_k, top_p and min_p. `attention_mask` is that of the prompts, or undefined.
  static LogitsProcessorList from_config(const GenerationConfig& config, std::int64_t prompt_length,
                                         const taper::Tensor& attention_mask);

  void append(LogitsProcessor processor) { processors_.push_back(std::move(processor)); }
  taper::Tensor operator()(const taper::Tensor& input_ids, taper::Tensor scores) const {
    for (const LogitsProcessor& process : processors_) scores = process(input_ids, scores);
    return scores;
  }

 private:
  void append_warpers(const GenerationConfig& config);
  std::vector<LogitsProcessor> processors_{};
};

}  // namespace generation
