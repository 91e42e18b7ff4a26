// GenerationConfig: the options of generate.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "huggingface/config.h"
#include "taper/core/tensor.h"

namespace generation {

using huggingface::TokenIds;

/// Options of generate. A field that is not set has the value of the model's generation_config,
/// otherwise the default below. Hugging Face: GenerationConfig.
struct GenerationConfig {
  std::optional<std::int64_t> max_new_tokens{};  ///< default: from max_length
  /// Length of the sequences including the prompt; default: 20 more than the prompt.
  std::optional<std::int64_t> max_length{};
  std::optional<std::int64_t> min_new_tokens{}, min_length{};  ///< default: 0

  std::optional<bool> do_sample{};      ///< samples tokens; default: false, greedy
  std::optional<double> temperature{};  ///< divides the scores; default: 1
  std::optional<std::int64_t> top_k{};  ///< keeps the k best tokens; default: 50; 0: all
  std::optional<double> top_p{};  ///< keeps the best tokens of this total probability; default: 1
  std::optional<double> min_p{};  ///< keeps tokens of this share of the largest probability
  std::optional<double> repetition_penalty{};          ///< for tokens that are present; default: 1
  std::optional<std::int64_t> no_repeat_ngram_size{};  ///< default: 0, n-grams may repeat

  std::optional<std::int64_t> num_beams{};  ///< default: 1; more: beam search
  std::optional<double> length_penalty{};   ///< exponent of the length of beams; default: 1
  /// End of a beam search: "true", when enough sequences are complete, "false", when better ones
  /// are unlikely, "never", when better ones are impossible; default: "false".
  std::optional<std::string> early_stopping{};
  std::optional<std::int64_t> num_return_sequences{};  ///< sequences of each prompt; default: 1

  std::optional<bool> use_cache{};             ///< default: true
  std::optional<std::int64_t> pad_token_id{};  ///< of ended rows; default: the first end token
  std::optional<TokenIds> eos_token_id{};      ///< tokens that end a row; empty: none

  /// Options of a generation_config.json that generate does not support.
  std::vector<std::string> unsupported{};

  /// Reads the options of a generation_config.json. Throws TypeError for values of other types.
  static GenerationConfig from_value(const taper::Value& config);
  /// Reads the generation_config.json of a folder. Without the file, the options are those
  /// of from_model_config.
  static GenerationConfig from_pretrained(const std::string& folder,
                                          const huggingface::PretrainedConfig& config);
  /// Returns the options that follow from a model configuration: its special tokens.
  static GenerationConfig from_model_config(const huggingface::PretrainedConfig& config);
  /// Writes the generation_config.json of a folder. Throws taper::IoError if writing fails.
  void save_pretrained(const std::string& folder) const;
  /// Copies the fields of `other` for which this object has no value.
  void set_defaults(const GenerationConfig& other);

 private:
  template <class Fields> void visit(const Fields& fields);
};

}  // namespace generation
