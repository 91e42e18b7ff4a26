#include "core/check.h"

#include "metrics/classification/curve_data.h"
#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/metrics/classification/curve.h"

namespace taper::metrics {
namespace {

using detail::CurveData;
using detail::CurvePoints;

/// Returns the area of a ROC up to a false positive rate, standardized such that that of a random
/// classifier is 0.5.
Tensor partial_area(const CurvePoints& roc, double max_fpr) {
  const auto stop =
      bucketize(full({}, max_fpr).to(roc.x.dtype()), roc.x, false, true).item<std::int64_t>();
  if (stop == roc.x.numel())
    fail<ValueError>(
        "BinaryAUROC: the curve ends at the false positive rate {}, expected at least max_fpr {}",
        roc.x[-1].item(), max_fpr);
  const double least = 0.5 * max_fpr * max_fpr;
  const auto standardized = [&](const Tensor& area) {
    return 0.5 * (1 + (area - least) / (max_fpr - least));
  };
  if (stop == 0) return standardized(zeros({}));
  const Tensor limit = full({1}, max_fpr).to(roc.x.dtype());
  const auto at = [&](const Tensor& t, std::int64_t i) { return t.narrow(0, i, 1); };
  const Tensor weight = (limit - at(roc.x, stop - 1)) / (at(roc.x, stop) - at(roc.x, stop - 1));
  const Tensor end = at(roc.y, stop - 1).lerp(at(roc.y, stop), weight);
  return standardized(
      trapezoid(cat({roc.y.narrow(0, 0, stop), end}), cat({roc.x.narrow(0, 0, stop), limit})));
}

/// Returns the average precision of a curve.
Tensor average_precision(const CurvePoints& curve, bool replaces_nan) {
  const Tensor precision = replaces_nan ? curve.x.masked_fill(curve.x.isnan(), 0) : curve.x;
  const Tensor recall = replaces_nan ? curve.y.masked_fill(curve.y.isnan(), 0) : curve.y;
  const std::int64_t n = recall.numel() - 1;
  return -((recall.narrow(0, 1, n) - recall.narrow(0, 0, n)) * precision.narrow(0, 0, n)).sum();
}

/// Returns the average of the areas of classes, without those that are NaN.
Tensor average_of(const std::vector<Tensor>& areas, const std::string& average,
                  const CurveData& data, std::string_view metric) {
  const Tensor all = stack(areas);
  if (average == "none") return all;
  const Tensor valid = ~all.isnan();
  if (!valid.all().item<bool>())
    warn(
        format_message("{}: the area of one or more classes is NaN and ignored by the average '{}'",
                       metric, average));
  const Tensor counted = all.masked_select(valid);
  if (average == "macro") return counted.mean();
  const Tensor weights = data.support().masked_select(valid);
  return (counted * safe_divide(weights, weights.sum())).sum();
}

}  // namespace

CurveArea::CurveArea(std::string_view name, Task task, std::int64_t num_classes,
                     const CurveAreaOptions& o)
    : CurveMetric(name,
                  {task, num_classes, o.thresholds, o.ignore_index, o.validate_args, o.average}) {
  if (task == Task::multiclass)
    check_choice(name, "average", o.average, {"macro", "weighted", "none"});
  else
    check_choice(name, "average", o.average, {"micro", "macro", "weighted", "none"});
  if (o.max_fpr && !(*o.max_fpr > 0 && *o.max_fpr <= 1))
    fail<ValueError>("{}: invalid max_fpr: got {}, expected a number in (0, 1]", name, *o.max_fpr);
}

AUROC::AUROC(std::string_view name, Task task, std::int64_t num_classes, const CurveAreaOptions& o)
    : CurveArea(name, task, num_classes, o), max_fpr_(o.max_fpr) {}

Value AUROC::compute_state() const {
  const Settings& s = settings();
  CurveData data = curve_data();
  if (s.task == Task::multilabel && s.average == "micro") data = data.flattened();
  const std::vector<CurvePoints> curves = roc_curves(data);
  if (data.task == Task::binary) {
    const CurvePoints& roc = curves[0];
    const auto is_zero = [](const Tensor& t) { return t.sum().item<double>() == 0; };
    if (!max_fpr_ || *max_fpr_ == 1 || is_zero(roc.x) || is_zero(roc.y))
      return trapezoid(roc.y, roc.x);
    return partial_area(roc, *max_fpr_);
  }
  std::vector<Tensor> areas;
  for (const CurvePoints& roc : curves) areas.push_back(trapezoid(roc.y, roc.x));
  return average_of(areas, s.average, data, type_name());
}

Value AveragePrecision::compute_state() const {
  const Settings& s = settings();
  CurveData data = curve_data();
  if (s.task == Task::multilabel && s.average == "micro") data = data.flattened();
  const bool is_single = data.task == Task::binary;
  std::vector<Tensor> areas;
  for (const CurvePoints& curve : precision_recall_curves(data))
    areas.push_back(average_precision(curve, is_single || data.is_binned()));
  return is_single ? areas[0] : average_of(areas, s.average, data, type_name());
}

}  // namespace taper::metrics
