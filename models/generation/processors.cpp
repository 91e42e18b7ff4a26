#include "generation/processors.h"

#include <algorithm>
#include <limits>
#include <string>

#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace generation {

using namespace taper;

namespace {

constexpr double kRemoved = -std::numeric_limits<double>::infinity();

void check_option(bool is_valid, const char* option, double value, const char* expected) {
  if (!is_valid)
    throw ValueError(std::string("generate: ") + option + " must be " + expected + ", got " +
                     Scalar(value).str());
}

}  // namespace

Tensor penalize_repetition(const Tensor& input_ids, const Tensor& scores, double penalty,
                           const Tensor& ignored_prefix) {
  check_option(penalty > 0, "repetition_penalty", penalty, "positive");
  const std::int64_t rows = scores.size(0), vocabulary = scores.size(1);
  Tensor ids = input_ids;
  if (ignored_prefix.defined()) {
    const Tensor is_ignored = arange(ids.size(1)).unsqueeze(0).lt(ignored_prefix.unsqueeze(1));
    ids = ids.masked_fill(is_ignored, vocabulary);  // a column that is dropped below
  }
  const Tensor present = zeros({rows, vocabulary + 1}, {.dtype = DType::bool_})
                             .scatter(1, ids, true)
                             .narrow(1, 0, vocabulary);
  return where(present, where(scores.lt(0), scores * penalty, scores / penalty), scores);
}

Tensor remove_repeated_ngrams(const Tensor& input_ids, const Tensor& scores, std::int64_t size) {
  check_option(size > 0, "no_repeat_ngram_size", static_cast<double>(size), "positive");
  const std::int64_t length = input_ids.size(1);
  if (length < size) return scores;
  const Tensor ids = input_ids.contiguous();
  const Tensor is_removed = zeros(scores.shape(), {.dtype = DType::bool_});
  const std::span<bool> removed = is_removed.mutable_data<bool>();
  for (std::int64_t row = 0; row < ids.size(0); ++row) {
    const std::int64_t* const tokens = ids.const_data_ptr<std::int64_t>() + row * length;
    const std::int64_t* const prefix = tokens + length - (size - 1);
    for (std::int64_t start = 0; start + size <= length; ++start)
      if (std::equal(prefix, tokens + length, tokens + start))
        removed[static_cast<std::size_t>(row * scores.size(1) + tokens[start + size - 1])] = true;
  }
  return scores.masked_fill(is_removed, kRemoved);
}

Tensor remove_tokens(const Tensor& scores, const TokenIds& ids) {
  return scores.index_fill(1, tensor(static_cast<const std::vector<std::int64_t>&>(ids)), kRemoved);
}

Tensor scale_by_temperature(const Tensor& scores, double temperature) {
  check_option(temperature > 0, "temperature", temperature,
               "positive; do_sample = false selects the best token");
  return scores / temperature;
}

Tensor keep_top_k(const Tensor& scores, std::int64_t k, std::int64_t min_kept) {
  check_option(k > 0, "top_k", static_cast<double>(k), "positive, or 0 for all tokens");
  const std::int64_t kept = std::min(std::max(k, min_kept), scores.size(-1));
  const Tensor last = scores.topk(kept, -1).first.slice(-1, -1, {});
  return scores.masked_fill(scores.lt(last), kRemoved);
}

Tensor keep_top_p(const Tensor& scores, double p, std::int64_t min_kept) {
  check_option(p >= 0 && p <= 1, "top_p", p, "in [0, 1]");
  const auto [ascending, order] = scores.sort(-1, false, true);
  const Tensor is_removed = ascending.softmax(-1).cumsum(-1).le(1 - p);
  is_removed.slice(-1, -min_kept, {}).fill_(false);
  return scores.masked_fill(zeros_like(is_removed).scatter(1, order, is_removed), kRemoved);
}

Tensor keep_min_p(const Tensor& scores, double min_p, std::int64_t min_kept) {
  check_option(min_p >= 0 && min_p <= 1, "min_p", min_p, "in [0, 1]");
  const Tensor probabilities = scores.softmax(-1);
  const Tensor best = probabilities.amax({-1}, true);
  const Tensor kept = probabilities.topk(std::min(min_kept, scores.size(-1)), -1).second;
  const Tensor is_removed = probabilities.lt(best * min_p).scatter(-1, kept, false);
  return scores.masked_fill(is_removed, kRemoved);
}

LogitsProcessorList LogitsProcessorList::from_config(const GenerationConfig& config,
                                                     std::int64_t prompt_length,
                                                     const Tensor& attention_mask) {
  LogitsProcessorList list;
  if (const double penalty = config.repetition_penalty.value_or(1); penalty != 1) {
    Tensor prefix;
    if (attention_mask.defined()) prefix = attention_mask.ne(0).to(DType::i64).argmax(1);
    list.append([=](const Tensor& ids, const Tensor& scores) {
      return penalize_repetition(ids, scores, penalty, prefix);
    });
  }
  if (const std::int64_t size = config.no_repeat_ngram_size.value_or(0); size != 0)
    list.append([=](const Tensor& ids, const Tensor& scores) {
      return remove_repeated_ngrams(ids, scores, size);
    });
  const TokenIds ends = config.eos_token_id.value_or(TokenIds());
  const std::int64_t min_length = config.min_new_tokens ? prompt_length + *config.min_new_tokens
                                                        : config.min_length.value_or(0);
  if (!ends.empty() && min_length > 0)
    list.append([=](const Tensor& ids, const Tensor& scores) {
      return ids.size(1) < min_length ? remove_tokens(scores, ends) : scores;
    });
  if (config.do_sample.value_or(false)) list.append_warpers(config);
  return list;
}

void LogitsProcessorList::append_warpers(const GenerationConfig& config) {
  // A beam search needs a token that continues a sequence beside those that end it.
  const std::int64_t ends =
      config.eos_token_id ? static_cast<std::int64_t>(config.eos_token_id->size()) : 0;
  const std::int64_t min_kept =
      config.num_beams.value_or(1) > 1 ? std::max<std::int64_t>(ends, 1) + 1 : 1;
  if (const double temperature = config.temperature.value_or(1); temperature != 1)
    append([=](const Tensor&, const Tensor& s) { return scale_by_temperature(s, temperature); });
  if (const std::int64_t k = config.top_k.value_or(50); k != 0)
    append([=](const Tensor&, const Tensor& s) { return keep_top_k(s, k, min_kept); });
  if (const double p = config.top_p.value_or(1); p != 1)
    append([=](const Tensor&, const Tensor& s) { return keep_top_p(s, p, min_kept); });
  if (config.min_p)
    append([=, p = *config.min_p](const Tensor&, const Tensor& s) {
      return keep_min_p(s, p, min_kept);
    });
}

}  // namespace generation
