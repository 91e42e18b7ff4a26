#include "taper/metrics/text.h"

#include <algorithm>

#include "core/check.h"

#include "metrics/support.h"
#include "metrics/text/tokens.h"
#include "taper/core/factory.h"

namespace taper::metrics {
namespace {

Value list_of(const std::vector<std::string>& texts) {
  return Value::list(Values(texts.begin(), texts.end()));
}

std::vector<std::string> texts_of(std::string_view metric, const Value& value) {
  std::vector<std::string> texts;
  if (value.is_string()) return {value.as_string()};
  if (!value.is_list() && !value.is_tuple())
    fail<TypeError>("{}: expected a list of strings, got {}", metric, value.type_name());
  for (const Value& item : value.as_sequence()) {
    if (!item.is_string())
      fail<TypeError>("{}: expected strings, got {}", metric, item.type_name());
    texts.push_back(item.as_string());
  }
  return texts;
}

Tensor number(double value) { return full({}, value); }

}  // namespace

void TextMetric::update(const std::vector<std::string>& preds,
                        const std::vector<std::string>& target) {
  update_values({list_of(preds), list_of(target)});
}

void TextMetric::update_state(const Values& batch) {
  if (batch.size() != 2) fail<TypeError>("{}: expected preds and target", type_name());
  const std::vector<std::string> preds = texts_of(type_name(), batch[0]);
  const std::vector<std::string> target = texts_of(type_name(), batch[1]);
  if (preds.size() != target.size())
    fail<ValueError>("{}: numbers of preds and target differ: {} and {}", type_name(), preds.size(),
                     target.size());
  add(preds, target);
}

ErrorRate::ErrorRate(std::string_view name, Unit unit, Length length)
    : name_(name), unit_(unit), length_(length) {
  add_state("errors", zeros({}));
  add_state("total", zeros({}));
}

void ErrorRate::add(const std::vector<std::string>& preds, const std::vector<std::string>& target) {
  double errors = 0, total = 0;
  const auto count = [&](const auto& p, const auto& t) {
    errors += static_cast<double>(edit_distance(p, t));
    total +=
        static_cast<double>(length_ == Length::longest ? std::max(p.size(), t.size()) : t.size());
  };
  for (std::size_t i = 0; i < preds.size(); ++i) {
    if (unit_ == Unit::word)
      count(split_words(preds[i]), split_words(target[i]));
    else
      count(decode_utf8(preds[i]), decode_utf8(target[i]));
  }
  accumulate("errors", number(errors));
  accumulate("total", number(total));
}

Value ErrorRate::compute_state() const { return state("errors") / state("total"); }

WordInfo::WordInfo() {
  for (const char* name : {"errors", "target_total", "preds_total"}) add_state(name, zeros({}));
}

void WordInfo::add(const std::vector<std::string>& preds, const std::vector<std::string>& target) {
  double errors = 0, target_total = 0, preds_total = 0;
  for (std::size_t i = 0; i < preds.size(); ++i) {
    const auto p = split_words(preds[i]), t = split_words(target[i]);
    errors += static_cast<double>(edit_distance(p, t)) -
              static_cast<double>(std::max(p.size(), t.size()));
    target_total += static_cast<double>(t.size());
    preds_total += static_cast<double>(p.size());
  }
  accumulate("errors", number(errors));
  accumulate("target_total", number(target_total));
  accumulate("preds_total", number(preds_total));
}

Tensor WordInfo::preserved() const {
  const Tensor& errors = state("errors");
  return errors / state("target_total") * (errors / state("preds_total"));
}

EditDistance::EditDistance(const EditDistanceOptions& options) : options_(options) {
  check_at_least(type_name(), "substitution_cost", options.substitution_cost, 0);
  check_choice(type_name(), "reduction", options.reduction, {"mean", "sum", "none"});
  if (options.reduction == "none") {
    add_list("edit_scores_list");
  } else {
    add_state("edit_scores", zeros({}, {.dtype = DType::i64}));
    add_state("num_elements", zeros({}, {.dtype = DType::i64}));
  }
}

void EditDistance::add(const std::vector<std::string>& preds,
                       const std::vector<std::string>& target) {
  std::vector<std::int32_t> distances;
  for (std::size_t i = 0; i < preds.size(); ++i)
    distances.push_back(static_cast<std::int32_t>(
        edit_distance(decode_utf8(preds[i]), decode_utf8(target[i]), options_.substitution_cost)));
  const Tensor scores = tensor(distances);
  if (options_.reduction == "none") return append("edit_scores_list", scores);
  accumulate("edit_scores", scores.sum());
  accumulate("num_elements", full({}, scores.numel()));
}

Value EditDistance::compute_state() const {
  if (options_.reduction == "none") return concatenated("edit_scores_list");
  const Tensor& sum = state("edit_scores");
  return options_.reduction == "sum" ? sum : sum / state("num_elements");
}

Perplexity::Perplexity(const PerplexityOptions& options) : ignore_index_(options.ignore_index) {
  add_state("total_log_probs", zeros({}));
  add_state("count", zeros({}));
}

void Perplexity::update_state(const Tensor& preds, const Tensor& target) {
  if (preds.dim() != 3 || target.dim() != 2 || preds.size(0) != target.size(0) ||
      preds.size(1) != target.size(1))
    fail<ShapeError>("Perplexity: got shapes {} and {}, expected (N, T, V) and (N, T)",
                     preds.shape(), target.shape());
  check_floating(type_name(), "preds", preds);
  if (target.dtype() != DType::i64)
    fail<DTypeError>("Perplexity: target must be i64, got {}", target.dtype());
  const Tensor tokens = target.flatten();
  const Tensor rows =
      ignore_index_ ? (tokens != *ignore_index_).nonzero().squeeze(1) : arange(tokens.numel());
  const Tensor counted = tokens.index_select(0, rows);
  check_labels(type_name(), "target", counted, preds.size(2));
  const Tensor log_probs = preds.flatten(0, 1).index_select(0, rows).log_softmax(1);
  accumulate("total_log_probs", -log_probs.gather(1, counted.unsqueeze(1)).sum());
  accumulate("count", full({}, counted.numel()));
}

Tensor Perplexity::compute_score() const {
  return (state("total_log_probs") / state("count")).exp();
}

}  // namespace taper::metrics
