#include "taper/metrics/classification/stat_scores.h"

#include "core/check.h"

#include "metrics/classification/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {
namespace {

constexpr std::array kCounts = {"tp", "fp", "tn", "fn"};

/// Predicted labels and targets `(N, L)` with the number of the count that each element adds to,
/// in a table of `rows` counts.
struct Elements {
  Tensor preds, target;  ///< i64, in [0, classes)
  Tensor offset;         ///< number of the row of a table, times `classes`
  Tensor mask;           ///< elements that count
  std::int64_t rows = 1, classes = 1;
};

Tensor count(const Tensor& index, const Tensor& mask, std::int64_t size) {
  return index.masked_select(mask).bincount({}, size);
}

/// Returns tp, fp, tn and fn of every class in every row.
std::array<Tensor, 4> counts_of_classes(const Elements& e) {
  const std::int64_t size = e.rows * e.classes;
  const Shape shape{e.rows, e.classes};
  const auto table = [&](const Tensor& labels, const Tensor& mask) {
    return count(labels + e.offset, mask, size).reshape(shape);
  };
  const Tensor tp = table(e.target, e.mask & (e.preds == e.target));
  const Tensor fp = table(e.preds, e.mask) - tp;
  const Tensor fn = table(e.target, e.mask) - tp;
  const Tensor total = (tp + fn).sum({1}, true);
  return {tp, fp, total - tp - fp - fn, fn};
}

/// Returns tp, fp, tn and fn of binary elements in every row and column of a table.
std::array<Tensor, 4> counts_of_flags(const Tensor& preds, const Tensor& target, const Tensor& mask,
                                      const Dims& dims) {
  const Tensor is_correct = preds == target, is_positive = target == 1;
  const auto sum = [&](const Tensor& t) { return (t & mask).sum(dims); };
  return {sum(is_correct & is_positive), sum(~is_correct & ~is_positive),
          sum(is_correct & ~is_positive), sum(~is_correct & is_positive)};
}

/// Returns the target if it is among the k best scores, otherwise the class with the best one.
Tensor best_labels(const Tensor& scores, const Tensor& target, std::int64_t k) {
  const Tensor best = scores.topk(k, 1).second;
  const Tensor is_found = (best == target.unsqueeze(1)).any({1});
  return target.where(is_found, best.select(1, 0));
}

}  // namespace

StatScoresMetric::StatScoresMetric(std::string_view name, Score score, const BinaryOptions& o,
                                   double beta)
    : name_(name), settings_{Task::binary,
                             score,
                             1,
                             o.threshold,
                             1,
                             "binary",
                             o.multidim_average,
                             o.ignore_index,
                             o.validate_args,
                             o.zero_division,
                             beta} {
  declare_states();
}

StatScoresMetric::StatScoresMetric(std::string_view name, Score score, std::int64_t num_classes,
                                   const MulticlassOptions& o, double beta)
    : name_(name), settings_{Task::multiclass,
                             score,
                             num_classes,
                             0.5,
                             o.top_k,
                             o.average,
                             o.multidim_average,
                             o.ignore_index,
                             o.validate_args,
                             o.zero_division,
                             beta} {
  declare_states();
}

StatScoresMetric::StatScoresMetric(std::string_view name, Score score, std::int64_t num_labels,
                                   const MultilabelOptions& o, double beta)
    : name_(name),
      settings_{
          Task::multilabel,   score,          num_labels,      o.threshold,     1,   o.average,
          o.multidim_average, o.ignore_index, o.validate_args, o.zero_division, beta} {
  declare_states();
}

void StatScoresMetric::declare_states() {
  const Settings& s = settings_;
  check_rules({name_, s.task, s.num_classes, s.ignore_index, s.validate_args, s.threshold});
  check_choice(name_, "multidim_average", s.multidim_average, {"global", "samplewise"});
  if (s.task != Task::binary)
    check_choice(name_, "average", s.average, {"micro", "macro", "weighted", "none"});
  check_at_least(name_, "top_k", s.top_k, 1);
  if (s.top_k > s.num_classes)
    fail<ValueError>("{}: invalid top_k: got {}, expected at most the number of classes {}", name_,
                     s.top_k, s.num_classes);
  if (s.zero_division != 0 && s.zero_division != 1)
    fail<ValueError>("{}: invalid zero_division: got {}, expected 0 or 1", name_, s.zero_division);
  if (!(s.beta > 0))
    fail<ValueError>("{}: invalid beta: got {}, expected a positive number", name_, s.beta);
  for (const char* name : kCounts) {
    if (is_samplewise())
      add_list(name);
    else
      add_state(name, zeros(s.task == Task::binary ? Shape{} : Shape{s.num_classes},
                            {.dtype = DType::i64}));
  }
}

void StatScoresMetric::update_state(const Tensor& preds, const Tensor& target) {
  const Settings& s = settings_;
  const InputRules rules{name_,          s.task,          s.num_classes,
                         s.ignore_index, s.validate_args, s.threshold};
  check_inputs(rules, preds, target);
  const std::int64_t least_dims = s.task == Task::multilabel ? 3 : 2;
  const bool has_scores = preds.dim() > target.dim();
  if (is_samplewise() && preds.dim() < least_dims + has_scores)
    fail<ShapeError>("{}: samplewise averages require a further dimension, got preds of shape {}",
                     name_, preds.shape());
  if (target.dim() == 0) fail<ShapeError>("{}: target must have a dimension", name_);

  const Tensor mask = counted(rules, target);
  std::array<Tensor, 4> counts;
  if (s.task == Task::multiclass) {
    const std::int64_t samples = target.size(0);
    Tensor labels;
    if (s.top_k == 1) {
      labels = predicted_labels(rules, preds, target);
    } else {
      if (!has_scores)
        fail<ShapeError>("{}: top_k {} requires scores (N, C, ...), got preds of shape {}", name_,
                         s.top_k, preds.shape());
      labels = best_labels(preds, target.to(DType::i64), s.top_k);
    }
    check_labels(name_, "target", target.masked_select(mask), s.num_classes);
    check_labels(name_, "preds", labels.masked_select(mask), s.num_classes);
    Elements e{labels, target.to(DType::i64), zeros_like(labels), mask, 1, s.num_classes};
    if (is_samplewise()) {
      e.rows = samples;
      Shape column = Shape::filled(static_cast<std::size_t>(target.dim()), 1);
      column[0] = samples;
      e.offset = (arange(samples) * s.num_classes).reshape(column).expand(target.shape());
    }
    counts = counts_of_classes(e);
    if (!is_samplewise())
      for (Tensor& t : counts) t = t.squeeze(0);
  } else {
    Dims dims;
    for (std::int64_t d = is_samplewise() ? 1 : 0; d < target.dim(); ++d)
      if (s.task == Task::binary || d != 1) dims.push_back(d);
    counts = counts_of_flags(predicted_labels(rules, preds, target), target, mask, dims);
  }
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    if (is_samplewise())
      append(kCounts[i], counts[i]);
    else
      accumulate(kCounts[i], counts[i]);
  }
}

/// Returns the score of every class from its counts.
Tensor StatScoresMetric::score(const std::array<Tensor, 4>& counts) const {
  const auto& [tp, fp, tn, fn] = counts;
  const double zero_division = settings_.zero_division;
  const double beta2 = settings_.beta * settings_.beta;
  const auto accuracy = [&, &tp = tp, &fp = fp, &tn = tn, &fn = fn] {
    return settings_.task == Task::multiclass ? safe_divide(tp, tp + fn)
                                              : safe_divide(tp + tn, tp + tn + fp + fn);
  };
  switch (settings_.score) {
    case Score::stat_scores: return stack({tp, fp, tn, fn, tp + fn}, -1);
    case Score::accuracy: return accuracy();
    case Score::hamming_distance: return 1 - accuracy();
    case Score::precision: return safe_divide(tp, tp + fp, zero_division);
    case Score::recall: return safe_divide(tp, tp + fn, zero_division);
    case Score::specificity: return safe_divide(tn, tn + fp);
    case Score::f_beta: break;
  }
  return safe_divide((1 + beta2) * tp, (1 + beta2) * tp + beta2 * fn + fp, zero_division);
}

Tensor StatScoresMetric::compute_score() const {
  const Settings& s = settings_;
  std::array<Tensor, 4> counts;
  for (std::size_t i = 0; i < kCounts.size(); ++i)
    counts[i] = is_samplewise() ? concatenated(kCounts[i]) : state(kCounts[i]);
  const auto& [tp, fp, tn, fn] = counts;
  if (s.average == "binary") return score(counts);
  if (s.average == "micro") return score({tp.sum({-1}), fp.sum({-1}), tn.sum({-1}), fn.sum({-1})});
  const Tensor scores = score(counts);
  if (s.average == "none") return scores;
  const Tensor support = tp + fn;
  if (s.score == Score::stat_scores) {
    if (s.average == "macro") return scores.to(DType::f32).mean({-2});
    // As in torchmetrics, the weights of labels are those of all samples together.
    const Tensor weights =
        quotient(support, s.task == Task::multilabel ? support.sum() : support.sum({-1}, true));
    return (scores * weights.unsqueeze(-1)).sum({-2});
  }
  Tensor weights = support;
  if (s.average == "macro") {
    // Classes that never occur do not count. Only some scores treat predictions of more than one
    // class as no occurrence.
    weights = ones_like(scores);
    const bool uses_top_k =
        s.top_k > 1 &&
        (s.score == Score::accuracy || s.score == Score::precision || s.score == Score::recall);
    if (s.task == Task::multiclass)
      weights = weights.masked_fill((uses_top_k ? support : support + fp) == 0, 0);
  }
  return safe_divide(weights * scores, weights.sum({-1}, true)).sum({-1});
}

std::array<std::string_view, 3> detail::score_names(Score score) {
  switch (score) {
    case Score::stat_scores:
      return {"BinaryStatScores", "MulticlassStatScores", "MultilabelStatScores"};
    case Score::accuracy: return {"BinaryAccuracy", "MulticlassAccuracy", "MultilabelAccuracy"};
    case Score::precision: return {"BinaryPrecision", "MulticlassPrecision", "MultilabelPrecision"};
    case Score::recall: return {"BinaryRecall", "MulticlassRecall", "MultilabelRecall"};
    case Score::f_beta: return {"BinaryF1Score", "MulticlassF1Score", "MultilabelF1Score"};
    case Score::specificity:
      return {"BinarySpecificity", "MulticlassSpecificity", "MultilabelSpecificity"};
    case Score::hamming_distance: break;
  }
  return {"BinaryHammingDistance", "MulticlassHammingDistance", "MultilabelHammingDistance"};
}

}  // namespace taper::metrics
