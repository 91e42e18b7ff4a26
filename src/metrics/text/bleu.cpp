#include <algorithm>
#include <cmath>
#include <map>

#include "core/check.h"

#include "metrics/support.h"
#include "metrics/text/tokens.h"
#include "taper/core/factory.h"
#include "taper/metrics/text.h"

namespace taper::metrics {
namespace {

using Words = std::vector<std::string>;
/// Sequences of words with their number of occurrences.
using Sequences = std::map<Words, std::int64_t>;

Sequences count_sequences(const Words& words, std::size_t longest) {
  Sequences counts;
  for (std::size_t n = 1; n <= longest; ++n)
    for (std::size_t i = 0; i + n <= words.size(); ++i) {
      const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
      ++counts[Words(begin, begin + static_cast<std::ptrdiff_t>(n))];
    }
  return counts;
}

/// Returns the length that is closest to `length`; the first of equal distances.
std::size_t closest_length(const std::vector<Words>& references, std::size_t length) {
  const auto distance = [&](const Words& words) {
    return words.size() > length ? words.size() - length : length - words.size();
  };
  return std::min_element(references.begin(), references.end(),
                          [&](const Words& a, const Words& b) { return distance(a) < distance(b); })
      ->size();
}

}  // namespace

BLEUScore::BLEUScore(const BLEUScoreOptions& options) : options_(options) {
  check_at_least("BLEUScore", "n_gram", options.n_gram, 1);
  const auto n = static_cast<std::size_t>(options.n_gram);
  if (options_.weights.empty()) options_.weights.assign(n, 1.0 / static_cast<double>(n));
  if (options_.weights.size() != n)
    fail<ValueError>("BLEUScore: got {} weights, expected one for each of the lengths 1 to {}",
                     options_.weights.size(), n);
  add_state("preds_len", zeros({}));
  add_state("target_len", zeros({}));
  add_state("numerator", zeros({options.n_gram}));
  add_state("denominator", zeros({options.n_gram}));
}

Words BLEUScore::tokenize(const std::string& text) const { return split_words(text); }

void BLEUScore::update(const Words& preds, const std::vector<Words>& target) {
  Values references;
  for (const Words& texts : target)
    references.push_back(Value::list(Values(texts.begin(), texts.end())));
  update_values(
      {Value::list(Values(preds.begin(), preds.end())), Value::list(std::move(references))});
}

void BLEUScore::update_state(const Values& batch) {
  const auto sequence = [&](const Value& value) -> Values {
    if (!value.is_list() && !value.is_tuple())
      fail<TypeError>("{}: expected a list of strings, got {}", type_name(), value.type_name());
    return value.as_sequence();
  };
  if (batch.size() != 2) fail<TypeError>("{}: expected preds and target", type_name());
  const Values preds = sequence(batch[0]), target = sequence(batch[1]);
  if (preds.size() != target.size())
    fail<ValueError>("{}: numbers of preds and target differ: {} and {}", type_name(), preds.size(),
                     target.size());
  const auto longest = static_cast<std::size_t>(options_.n_gram);
  std::vector<double> matches(longest), sequences(longest);
  double preds_len = 0, target_len = 0;
  for (std::size_t i = 0; i < preds.size(); ++i) {
    const Words words = tokenize(preds[i].as_string());
    std::vector<Words> references;
    Sequences limits;
    for (const Value& text : sequence(target[i])) {
      references.push_back(tokenize(text.as_string()));
      for (const auto& [key, count] : count_sequences(references.back(), longest))
        limits[key] = std::max(limits[key], count);
    }
    if (references.empty())
      fail<ValueError>("{}: prediction {} does not have a reference", type_name(), i);
    preds_len += static_cast<double>(words.size());
    target_len += static_cast<double>(closest_length(references, words.size()));
    for (const auto& [key, count] : count_sequences(words, longest)) {
      sequences[key.size() - 1] += static_cast<double>(count);
      const auto limit = limits.find(key);
      if (limit != limits.end())
        matches[key.size() - 1] += static_cast<double>(std::min(count, limit->second));
    }
  }
  accumulate("preds_len", full({}, preds_len));
  accumulate("target_len", full({}, target_len));
  accumulate("numerator", tensor(matches));
  accumulate("denominator", tensor(sequences));
}

Value BLEUScore::compute_state() const {
  const std::vector<double> matches = to_doubles(state("numerator"));
  const std::vector<double> sequences = to_doubles(state("denominator"));
  if (*std::min_element(matches.begin(), matches.end()) == 0) return full({}, 0.0);
  double log_mean = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const double added = options_.smooth && i > 0 ? 1 : 0;
    log_mean += options_.weights[i] * std::log((matches[i] + added) / (sequences[i] + added));
  }
  const auto preds_len = state("preds_len").item<double>();
  const auto target_len = state("target_len").item<double>();
  const double penalty = preds_len > target_len ? 1 : std::exp(1 - target_len / preds_len);
  return full({}, penalty * std::exp(log_mean));
}

SacreBLEUScore::SacreBLEUScore(const SacreBLEUScoreOptions& o)
    : BLEUScore({o.n_gram, o.smooth, o.weights}), tokenize_(o.tokenize), lowercase_(o.lowercase) {
  check_choice("SacreBLEUScore", "tokenize", o.tokenize, {"none", "13a", "zh", "char"});
}

Words SacreBLEUScore::tokenize(const std::string& text) const {
  std::u32string line = decode_utf8(text);
  if (tokenize_ == "13a") line = tokenize_13a(std::move(line));
  if (tokenize_ == "zh") line = tokenize_zh(line);
  if (tokenize_ == "char") line = tokenize_characters(line);
  if (lowercase_)
    for (char32_t& c : line)
      if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return split_words(encode_utf8(line));
}

}  // namespace taper::metrics
