#include "taper/metrics/classification/confusion_matrix.h"

#include "core/check.h"

#include "metrics/classification/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::metrics {
namespace {

/// Returns the elements that count, of labels of any shape.
std::pair<Tensor, Tensor> select(const Tensor& labels, const Tensor& target, const Tensor& mask) {
  return {labels.masked_select(mask), target.masked_select(mask).to(DType::i64)};
}

/// Returns the class of each element of a multilabel tensor `(N, L, ...)`.
Tensor label_numbers(const Tensor& t) {
  Shape shape = Shape::filled(static_cast<std::size_t>(t.dim()), 1);
  shape[1] = t.size(1);
  return arange(t.size(1)).reshape(shape).expand(t.shape());
}

}  // namespace

ConfusionMatrixMetric::ConfusionMatrixMetric(std::string_view name, const Settings& settings)
    : name_(name), settings_(settings) {
  const std::int64_t n = settings.num_classes;
  check_rules(
      {name, settings.task, n, settings.ignore_index, settings.validate_args, settings.threshold});
  const Shape shape = settings.task == Task::binary       ? Shape{2, 2}
                      : settings.task == Task::multiclass ? Shape{n, n}
                                                          : Shape{n, 2, 2};
  add_state("confmat", zeros(shape, {.dtype = DType::i64}));
}

void ConfusionMatrixMetric::update_state(const Tensor& preds, const Tensor& target) {
  const Settings& s = settings_;
  const InputRules rules{name_,          s.task,          s.num_classes,
                         s.ignore_index, s.validate_args, s.threshold};
  check_inputs(rules, preds, target);
  const Tensor mask = counted(rules, target);
  Tensor index;
  if (s.task == Task::binary) {
    // A sigmoid is applied if a prediction that counts is a logit.
    const auto [scores, y] = select(preds, target, mask);
    index = y * 2 + predicted_labels(rules, scores, y);
  } else {
    const auto [labels, y] = select(predicted_labels(rules, preds, target), target, mask);
    if (s.task == Task::multiclass) {
      check_labels(name_, "target", y, s.num_classes);
      check_labels(name_, "preds", labels, s.num_classes);
      index = y * s.num_classes + labels;
    } else {
      index = label_numbers(target).masked_select(mask) * 4 + y * 2 + labels;
    }
  }
  const Tensor& confmat = state("confmat");
  accumulate("confmat", index.bincount({}, confmat.numel()).reshape(confmat.shape()));
}

ConfusionMatrix::ConfusionMatrix(std::string_view name, Task task, std::int64_t num_classes,
                                 const ConfusionMatrixOptions& o)
    : ConfusionMatrixMetric(name,
                            {task, num_classes, o.threshold, o.ignore_index, o.validate_args}),
      normalize_(o.normalize) {
  check_choice(name, "normalize", normalize_, {"true", "pred", "all", "none"});
}

Tensor ConfusionMatrix::compute_score() const {
  const Tensor& confmat = state("confmat");
  if (normalize_ == "none") return confmat;
  const Dims dims = normalize_ == "true"   ? Dims{-1}
                    : normalize_ == "pred" ? Dims{-2}
                                           : Dims{-2, -1};
  const Tensor result = quotient(confmat, confmat.sum(dims, true));
  const std::int64_t missing = result.isnan().sum().item<std::int64_t>();
  if (missing == 0) return result;
  warn(format_message("{}: {} NaN values of the confusion matrix were replaced with zeros",
                      type_name(), missing));
  return result.nan_to_num(0);
}

JaccardIndex::JaccardIndex(std::string_view name, Task task, std::int64_t num_classes,
                           const JaccardIndexOptions& o)
    : ConfusionMatrixMetric(name,
                            {task, num_classes, o.threshold, o.ignore_index, o.validate_args}),
      average_(task == Task::binary ? "binary" : o.average),
      zero_division_(o.zero_division) {
  if (task != Task::binary)
    check_choice(name, "average", average_, {"micro", "macro", "weighted", "none"});
}

Tensor JaccardIndex::compute_score() const {
  const Tensor confmat = state("confmat").to(DType::f32);
  const bool is_multiclass = settings().task == Task::multiclass;
  Tensor both, either, support, occurrences;
  if (is_multiclass) {
    both = confmat.diagonal();
    support = confmat.sum({1});
    occurrences = confmat.sum({0}) + support;
    either = occurrences - both;
  } else {
    const auto cell = [&](std::int64_t t, std::int64_t p) {
      return confmat.select(-2, t).select(-1, p);
    };
    both = cell(1, 1);
    support = both + cell(1, 0);
    either = support + cell(0, 1);
  }
  if (average_ == "binary" || average_ == "none") return safe_divide(both, either, zero_division_);
  // Multilabel averages do not treat a label as ignored.
  const std::int64_t ignored = is_multiclass ? settings().ignore_index.value_or(-1) : -1;
  const bool has_ignored = ignored >= 0 && ignored < settings().num_classes;
  if (average_ == "micro") {
    Tensor total = either.sum();
    if (has_ignored) total = total - either[ignored];
    return safe_divide(both.sum(), total, zero_division_);
  }
  const Tensor scores = safe_divide(both, either, zero_division_);
  Tensor weights = support;
  if (average_ == "macro") {
    weights = ones_like(scores);
    if (is_multiclass) weights = weights.masked_fill(occurrences == 0, 0);
    if (has_ignored) weights = weights.masked_fill(arange(settings().num_classes) == ignored, 0);
  }
  return (weights * scores / weights.sum()).sum();
}

CohenKappa::CohenKappa(std::string_view name, Task task, std::int64_t num_classes,
                       const CohenKappaOptions& o)
    : ConfusionMatrixMetric(name,
                            {task, num_classes, o.threshold, o.ignore_index, o.validate_args}),
      weights_(o.weights) {
  check_choice(name, "weights", weights_, {"none", "linear", "quadratic"});
}

Tensor CohenKappa::compute_score() const {
  const Tensor confmat = state("confmat").to(DType::f32);
  const Tensor columns = confmat.sum({0}, true), rows = confmat.sum({1}, true);
  const Tensor expected = rows * columns / columns.sum();
  const Tensor classes = arange(confmat.size(0)).to(DType::f32);
  Tensor distance = classes.unsqueeze(0) - classes.unsqueeze(1);
  if (weights_ == "none") distance = (distance != 0).to(DType::f32);
  const Tensor weights = weights_ == "quadratic" ? distance.square() : distance.abs();
  return 1 - (weights * confmat).sum() / (weights * expected).sum();
}

}  // namespace taper::metrics
