#include "generation/config.h"

#include <filesystem>
#include <utility>

#include "huggingface/json.h"

namespace generation {

using namespace taper;
using huggingface::ConfigReader;

namespace {

/// Options that change what is generated, with the value that has no effect.
const std::vector<std::pair<const char*, Value>>& unsupported_options() {
  // Not destroyed, because static objects may load models.
  static const auto* const options = new std::vector<std::pair<const char*, Value>>{
      {"typical_p", 1.0},
      {"epsilon_cutoff", 0.0},
      {"eta_cutoff", 0.0},
      {"top_h", {}},
      {"diversity_penalty", 0.0},
      {"num_beam_groups", 1},
      {"encoder_repetition_penalty", 1.0},
      {"encoder_no_repeat_ngram_size", 0},
      {"bad_words_ids", {}},
      {"force_words_ids", {}},
      {"constraints", {}},
      {"sequence_bias", {}},
      {"forced_bos_token_id", {}},
      {"forced_eos_token_id", {}},
      {"remove_invalid_values", false},
      {"exponential_decay_length_penalty", {}},
      {"suppress_tokens", {}},
      {"begin_suppress_tokens", {}},
      {"guidance_scale", 1.0},
      {"renormalize_logits", false},
      {"watermarking_config", {}},
      {"penalty_alpha", {}},
      {"dola_layers", {}},
      {"max_time", {}},
      {"stop_strings", {}},
  };
  return *options;
}

template <class T> void default_to(std::optional<T>& field, const std::optional<T>& value) {
  if (!field) field = value;
}

}  // namespace

/// Calls `fields(key, field)` for each option whose null is the same as its absence.
template <class Fields> void GenerationConfig::visit(const Fields& fields) {
  fields("max_new_tokens", max_new_tokens)("max_length", max_length);
  fields("min_new_tokens", min_new_tokens)("min_length", min_length);
  fields("do_sample", do_sample)("temperature", temperature)("top_k", top_k);
  fields("top_p", top_p)("min_p", min_p)("repetition_penalty", repetition_penalty);
  fields("no_repeat_ngram_size", no_repeat_ngram_size)("num_beams", num_beams);
  fields("length_penalty", length_penalty)("num_return_sequences", num_return_sequences);
  fields("use_cache", use_cache)("pad_token_id", pad_token_id);
}

GenerationConfig GenerationConfig::from_value(const Value& config) {
  GenerationConfig c;
  const ConfigReader read(config, "GenerationConfig");
  c.visit(read);
  // null differs from an absent key here: no token ends a row.
  if (read.find("eos_token_id")) read("eos_token_id", c.eos_token_id.emplace());
  if (const Value* early = read.find("early_stopping"); early && early->is_bool())
    c.early_stopping = early->as_bool() ? "true" : "false";
  else
    read("early_stopping", c.early_stopping);
  for (const auto& [name, neutral] : unsupported_options())
    if (const Value* given = read.find(name); given && !given->is_none() && *given != neutral)
      c.unsupported.emplace_back(name);
  return c;
}

GenerationConfig GenerationConfig::from_model_config(const huggingface::PretrainedConfig& config) {
  GenerationConfig c;
  c.pad_token_id = config.pad_token_id;
  c.eos_token_id = config.eos_token_id;
  return c;
}

GenerationConfig GenerationConfig::from_pretrained(const std::string& folder,
                                                   const huggingface::PretrainedConfig& config) {
  const std::string path = folder + "/generation_config.json";
  return std::filesystem::exists(path) ? from_value(huggingface::read_json(path))
                                       : from_model_config(config);
}

void GenerationConfig::save_pretrained(const std::string& folder) const {
  const huggingface::ConfigWriter write;
  GenerationConfig(*this).visit(write);
  write("eos_token_id", eos_token_id);
  if (early_stopping)
    write("early_stopping",
          *early_stopping == "never" ? Value("never") : Value(*early_stopping == "true"));
  huggingface::write_json(folder + "/generation_config.json", write.dict());
}

void GenerationConfig::set_defaults(const GenerationConfig& other) {
  default_to(max_new_tokens, other.max_new_tokens), default_to(max_length, other.max_length);
  default_to(min_new_tokens, other.min_new_tokens), default_to(min_length, other.min_length);
  default_to(do_sample, other.do_sample), default_to(temperature, other.temperature);
  default_to(top_k, other.top_k), default_to(top_p, other.top_p), default_to(min_p, other.min_p);
  default_to(repetition_penalty, other.repetition_penalty);
  default_to(no_repeat_ngram_size, other.no_repeat_ngram_size);
  default_to(num_beams, other.num_beams), default_to(length_penalty, other.length_penalty);
  default_to(early_stopping, other.early_stopping);
  default_to(num_return_sequences, other.num_return_sequences);
  default_to(use_cache, other.use_cache), default_to(pad_token_id, other.pad_token_id);
  default_to(eos_token_id, other.eos_token_id);
  unsupported.insert(unsupported.end(), other.unsupported.begin(), other.unsupported.end());
}

}  // namespace generation
