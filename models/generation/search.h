// Decoding strategies of generate: greedy search, sampling and beam search.
#pragma once
#include "generation/decoder.h"
#include "generation/generate.h"
#include "generation/processors.h"

namespace generation {

/// Resolved arguments of a call of generate.
struct Search {
  Decoder& decoder;
  const LogitsProcessorList& processors;
  std::int64_t max_length;
  TokenIds eos_token_ids;
  std::optional<std::int64_t> pad_token_id;
  GenerateReport* report;
};

/// Selects the best token, or draws one, for each row at each step. Returns the sequences.
taper::Tensor sample(const Search& search, taper::Tensor sequences, bool do_sample);

/// Options of beam_search.
struct BeamOptions {
  std::int64_t num_beams, num_return_sequences;
  double length_penalty;
  std::string early_stopping;
  bool do_sample;
};
/// Returns the best sequences that a search over `num_beams` sequences per prompt finds. Rows of
/// `prompts` are repeated `num_beams` times.
taper::Tensor beam_search(const Search& search, const taper::Tensor& prompts,
                          const BeamOptions& options);

}  // namespace generation
