// Beam search: the best sequences, found by extending the best ones of each length.
#include <algorithm>
#include <cmath>
#include <span>

#include "generation/search.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace generation {

using namespace taper;

namespace {

constexpr float kUnlikely = -1e9f;  // the score of sequences that must not be selected

/// A sequence with its score: the sum of the logarithms of probabilities while it is extended.
struct Hypothesis {
  std::vector<std::int64_t> tokens;
  float score;
  std::int64_t beam = 0;   // the running sequence that it extends
  bool has_ended = false;  // it cannot be extended
};

/// Returns the `count` hypotheses of the highest scores, best first.
std::vector<Hypothesis> best_of(std::vector<Hypothesis> all, std::int64_t count) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  all.resize(static_cast<std::size_t>(count));
  return all;
}

/// Search for one prompt.
class BeamSearch {
 public:
  BeamSearch(const Search& search, const BeamOptions& options, std::vector<std::int64_t> prompt)
      : search_(search), options_(options), prompt_length_(prompt.size()) {
    // All beams hold the same prompt at first: only the first one counts.
    for (std::int64_t i = 0; i < options.num_beams; ++i) {
      running.push_back({prompt, i == 0 ? 0.0f : kUnlikely});
      finished.push_back({prompt, kUnlikely});
    }
  }

  /// Extends the running sequences by candidates `(score, beam * vocabulary + token)`, best first.
  void extend(std::span<const float> scores, std::span<const std::int64_t> indices,
              std::int64_t vocabulary) {
    std::vector<Hypothesis> candidates;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      Hypothesis h{running[static_cast<std::size_t>(indices[i] / vocabulary)].tokens, scores[i],
                   indices[i] / vocabulary};
      h.tokens.push_back(indices[i] % vocabulary);
      h.has_ended = is_end(h.tokens.back()) || length_of(h.tokens) >= search_.max_length;
      candidates.push_back(std::move(h));
    }
    all_ended = std::all_of(candidates.begin(), candidates.end(),
                            [](const Hypothesis& h) { return h.has_ended; });
    update_finished(candidates);
    for (Hypothesis& h : candidates) h.score += h.has_ended ? kUnlikely : 0.0f;
    running = best_of(std::move(candidates), options_.num_beams);
    can_improve = can_improve && running_may_improve();
  }

  bool is_full() const {
    return std::all_of(finished.begin(), finished.end(),
                       [](const Hypothesis& h) { return h.has_ended; });
  }

  std::vector<Hypothesis> running{}, finished{};  // best first
  bool can_improve = true, all_ended = false;

 private:
  bool is_end(std::int64_t token) const {
    return std::find(search_.eos_token_ids.begin(), search_.eos_token_ids.end(), token) !=
           search_.eos_token_ids.end();
  }
  static std::int64_t length_of(const std::vector<std::int64_t>& tokens) {
    return static_cast<std::int64_t>(tokens.size());
  }
  float penalty(std::int64_t generated) const {
    return static_cast<float>(std::pow(static_cast<double>(generated), options_.length_penalty));
  }

  /// Keeps the best complete sequences. Of the candidates, only the first `num_beams` compete.
  void update_finished(const std::vector<Hypothesis>& candidates) {
    const bool is_closed = !can_improve || (options_.early_stopping == "true" && is_full());
    std::vector<Hypothesis> merged = finished;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Hypothesis h = candidates[i];
      h.score /= penalty(length_of(h.tokens) - static_cast<std::int64_t>(prompt_length_));
      if (is_closed) h.score += kUnlikely;
      h.has_ended = h.has_ended && static_cast<std::int64_t>(i) < options_.num_beams;
      if (!h.has_ended) h.score += kUnlikely;
      merged.push_back(std::move(h));
    }
    finished = best_of(std::move(merged), options_.num_beams);
  }

  /// Estimates whether the best running sequence can still exceed a complete one.
  bool running_may_improve() const {
    const bool longest = options_.early_stopping == "never" && options_.length_penalty > 0;
    const std::int64_t length = longest ? search_.max_length : length_of(running.front().tokens);
    const float best =
        running.front().score / penalty(length - static_cast<std::int64_t>(prompt_length_));
    const float worst = finished.back().score;
    return std::any_of(finished.begin(), finished.end(), [&](const Hypothesis& h) {
      return best > (h.has_ended ? worst : kUnlikely);
    });
  }

  const Search& search_;
  const BeamOptions& options_;
  std::size_t prompt_length_;
};

Tensor running_sequences(const std::vector<BeamSearch>& searches) {
  std::vector<std::int64_t> tokens;
  std::int64_t rows = 0;
  for (const BeamSearch& s : searches)
    for (const Hypothesis& h : s.running)
      tokens.insert(tokens.end(), h.tokens.begin(), h.tokens.end()), ++rows;
  return tensor(tokens).view({rows, -1});
}

/// Returns scores and indices of the best, or drawn, continuations of each prompt.
std::pair<Tensor, Tensor> continuations(const Tensor& scores, std::int64_t count, bool do_sample) {
  if (!do_sample) return scores.topk(count, 1);
  const Tensor indices = scores.softmax(-1).multinomial(count);
  return {scores.gather(1, indices), indices};
}

/// Returns the best complete sequences of all prompts, filled to equal length.
Tensor collect(const std::vector<BeamSearch>& searches, const Search& search,
               std::int64_t returned) {
  // As in Hugging Face, padding 0 counts as absent.
  const std::int64_t padding = search.eos_token_ids.empty() ? -1
                               : search.pad_token_id.value_or(0) != 0
                                   ? *search.pad_token_id
                                   : search.eos_token_ids.front();
  std::vector<std::int64_t> tokens;
  std::vector<float> scores;
  std::size_t length = 0;
  for (const BeamSearch& s : searches)
    for (std::int64_t i = 0; i < returned; ++i)
      length = std::max(length, s.finished[static_cast<std::size_t>(i)].tokens.size());
  for (const BeamSearch& s : searches)
    for (std::int64_t i = 0; i < returned; ++i) {
      const Hypothesis& h = s.finished[static_cast<std::size_t>(i)];
      tokens.insert(tokens.end(), h.tokens.begin(), h.tokens.end());
      tokens.insert(tokens.end(), length - h.tokens.size(), padding);
      scores.push_back(h.score);
    }
  if (search.report) search.report->sequences_scores = tensor(scores);
  return tensor(tokens).view({static_cast<std::int64_t>(scores.size()), -1});
}

}  // namespace

Tensor beam_search(const Search& search, const Tensor& prompts, const BeamOptions& o) {
  if (o.early_stopping != "true" && o.early_stopping != "false" && o.early_stopping != "never")
    throw ValueError("generate: early_stopping must be 'true', 'false' or 'never', got '" +
                     o.early_stopping + "'");
  std::vector<BeamSearch> searches;
  const Tensor rows = prompts.contiguous();
  for (std::int64_t i = 0; i < rows.size(0); i += o.num_beams) {
    const Tensor row = rows[i];
    const std::span<const std::int64_t> tokens = row.data<std::int64_t>();
    searches.emplace_back(search, o, std::vector<std::int64_t>(tokens.begin(), tokens.end()));
  }
  // Enough candidates that some continue, even if the best ones end.
  const std::int64_t ends = static_cast<std::int64_t>(search.eos_token_ids.size());
  const std::int64_t kept = std::max<std::int64_t>(2, 1 + ends) * o.num_beams;
  const auto any = [&](auto predicate) {
    return std::any_of(searches.begin(), searches.end(), predicate);
  };
  do {
    const Tensor sequences = running_sequences(searches);
    const Tensor log_probs =
        search.processors(sequences, search.decoder.next_logits(sequences).log_softmax(-1));
    std::vector<float> totals;
    for (const BeamSearch& s : searches)
      for (const Hypothesis& h : s.running) totals.push_back(h.score);
    const std::int64_t vocabulary = log_probs.size(1);
    const Tensor sums = (log_probs + tensor(totals).unsqueeze(1))
                            .view({static_cast<std::int64_t>(searches.size()), -1});
    const auto [scores, indices] = continuations(sums, kept, o.do_sample);
    std::vector<std::int64_t> sources;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      const Tensor s = scores[i].contiguous(), k = indices[i].contiguous();
      searches[i].extend(s.data<float>(), k.data<std::int64_t>(), vocabulary);
      for (const Hypothesis& h : searches[i].running)
        sources.push_back(static_cast<std::int64_t>(i) * o.num_beams + h.beam);
    }
    search.decoder.reorder(tensor(sources));
  } while (
      any([](const BeamSearch& s) { return s.can_improve; }) &&
      !(o.early_stopping == "true" && !any([](const BeamSearch& s) { return !s.is_full(); })) &&
      any([](const BeamSearch& s) { return !s.all_ended; }));
  return collect(searches, search, o.num_return_sequences);
}

}  // namespace generation
