#include "taper/metrics/classification/curve.h"

#include "core/check.h"

#include "metrics/classification/curve_data.h"
#include "metrics/classification/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {

Thresholds::Thresholds(IntArg count) {
  check_at_least("Thresholds", "count", count, 2);
  values_ = linspace(0, 1, count);
}

Thresholds::Thresholds(std::initializer_list<double> values)
    : Thresholds(std::vector<double>(values)) {}

Thresholds::Thresholds(const std::vector<double>& values) {
  if (values.empty()) fail<ValueError>("Thresholds: the list is empty");
  for (const double value : values) check_fraction("Thresholds", "threshold", value);
  values_ = tensor(values, {.dtype = default_dtype()});
}

Thresholds::Thresholds(const Tensor& values) {
  if (values.dim() != 1 || values.numel() == 0)
    fail<ShapeError>("Thresholds: expected a 1-dimensional tensor, got shape {}", values.shape());
  values_ = values.detach().clone();
}

CurveMetric::CurveMetric(std::string_view name, Settings settings)
    : name_(name), settings_(std::move(settings)) {
  const Settings& s = settings_;
  check_rules({name, s.task, s.num_classes});
  const Tensor& thresholds = s.thresholds.values();
  if (!thresholds.defined()) {
    add_list("preds");
    add_list("target");
    return;
  }
  const std::int64_t t = thresholds.numel();
  const bool has_classes = s.task != Task::binary && !s.has_micro_state;
  add_state("confmat", zeros(has_classes ? Shape{t, s.num_classes, 2, 2} : Shape{t, 2, 2},
                             {.dtype = DType::i64}));
}

void CurveMetric::update_state(const Tensor& preds, const Tensor& target) {
  const Settings& s = settings_;
  const InputRules rules{name_, s.task, s.num_classes, s.ignore_index, s.validate_args};
  check_scores(rules, preds, target);
  Tensor p, y = target.to(DType::i64);
  if (s.task == Task::binary) {
    const Tensor mask = counted(rules, target);
    p = sigmoid_if_logits(preds.masked_select(mask));
    y = y.masked_select(mask);
  } else {
    p = preds.movedim(1, -1).reshape({-1, s.num_classes});
    if (s.task == Task::multilabel) {
      p = sigmoid_if_logits(p);
      y = y.movedim(1, -1).reshape({-1, s.num_classes});
    } else {
      const Tensor rows = counted(rules, target).flatten().nonzero().squeeze(1);
      p = softmax_if_logits(p.index_select(0, rows));
      y = y.flatten().index_select(0, rows);
      check_labels(name_, "target", y, s.num_classes);
      if (s.has_micro_state) {
        p = p.flatten();
        y = one_hot(y, s.num_classes).flatten();
      }
    }
  }
  if (!s.thresholds.values().defined()) {
    append("preds", p);
    append("target", y);
    return;
  }
  if (s.task == Task::multiclass && !s.has_micro_state) y = one_hot(y, s.num_classes);
  const bool is_masked = s.task == Task::multilabel && s.ignore_index;
  add_counts(p, y == 1, is_masked ? y != *s.ignore_index : Tensor());
}

/// Adds the confusion matrix of each threshold. `mask` is undefined if all elements count.
void CurveMetric::add_counts(const Tensor& preds, const Tensor& target, const Tensor& mask) {
  const Tensor thresholds = settings_.thresholds.values().to(preds.dtype());
  const auto count = [&](const Tensor& t) { return (mask.defined() ? t & mask : t).sum(Dims{0}); };
  std::vector<Tensor> matrices;
  for (std::int64_t i = 0; i < thresholds.numel(); ++i) {
    const Tensor p = preds >= thresholds[i];
    matrices.push_back(stack(
        {count(~target & ~p), count(~target & p), count(target & ~p), count(target & p)}, -1));
  }
  accumulate("confmat", stack(matrices).unflatten(-1, {2, 2}));
}

detail::CurveData CurveMetric::curve_data() const {
  const Settings& s = settings_;
  const bool has_classes = s.task != Task::binary && !s.has_micro_state;
  detail::CurveData data{has_classes ? s.task : Task::binary, has_classes ? s.num_classes : 1,
                         s.ignore_index};
  data.thresholds = s.thresholds.values();
  if (!data.thresholds.defined()) {
    data.preds = concatenated("preds");
    data.target = concatenated("target");
  } else {
    const Tensor& confmat = state("confmat");
    data.confmat = has_classes ? confmat : confmat.unsqueeze(1);
  }
  return data;
}

Curve::Curve(std::string_view name, Task task, std::int64_t num_classes, const CurveOptions& o)
    : CurveMetric(name, {task, num_classes, o.thresholds, o.ignore_index, o.validate_args,
                         o.average, task == Task::multiclass && o.average == "micro"}) {
  check_choice(name, "average", o.average, {"none", "micro", "macro"});
}

namespace {

using detail::CurvePoints;

/// Returns the value of a metric: tensors of one curve or of all classes, or lists of tensors.
Value curve_value(const std::vector<CurvePoints>& curves, const detail::CurveData& data) {
  if (data.task == Task::binary)
    return Value::tuple({curves[0].x, curves[0].y, curves[0].thresholds});
  std::vector<Tensor> xs, ys;
  Values thresholds;
  for (const CurvePoints& curve : curves) {
    xs.push_back(curve.x);
    ys.push_back(curve.y);
    thresholds.push_back(curve.thresholds);
  }
  if (data.is_binned()) return Value::tuple({stack(xs), stack(ys), curves[0].thresholds});
  return Value::tuple({Value::list(Values(xs.begin(), xs.end())),
                       Value::list(Values(ys.begin(), ys.end())),
                       Value::list(std::move(thresholds))});
}

Value curve_or_mean(const std::vector<CurvePoints>& curves, const detail::CurveData& data,
                    const std::string& average, bool has_descending_thresholds) {
  if (data.task != Task::multiclass || average != "macro") return curve_value(curves, data);
  const CurvePoints mean = detail::mean_curve(curves, has_descending_thresholds);
  return Value::tuple({mean.x, mean.y, mean.thresholds});
}

}  // namespace

Value PrecisionRecallCurve::compute_state() const {
  const detail::CurveData data = curve_data();
  return curve_or_mean(precision_recall_curves(data), data, settings().average, false);
}

Value ROC::compute_state() const {
  const detail::CurveData data = curve_data();
  return curve_or_mean(roc_curves(data), data, settings().average, true);
}

}  // namespace taper::metrics
