#include "metrics/classification/curve_data.h"

#include "core/check.h"

#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::metrics::detail {
namespace {

/// Elements of one class: scores, targets as stored, and which targets are positive.
struct ClassData {
  Tensor preds, target, is_positive;
};

ClassData class_data(const CurveData& data, std::int64_t i) {
  if (data.task == Task::binary) return {data.preds, data.target, data.target == 1};
  const Tensor preds = data.preds.select(1, i);
  if (data.task == Task::multiclass) return {preds, data.target, data.target == i};
  const Tensor target = data.target.select(1, i);
  if (!data.ignore_index) return {preds, target, target == 1};
  const Tensor mask = target != *data.ignore_index;
  const Tensor counted = target.masked_select(mask);
  return {preds.masked_select(mask), counted, counted == 1};
}

/// Numbers of false and true positives at the distinct scores, in descending order.
struct CumulativeCounts {
  Tensor fps, tps, thresholds;
};

CumulativeCounts cumulative_counts(const ClassData& data) {
  if (data.preds.numel() == 0)
    fail<ValueError>("curve: all targets are ignored, or the batches are empty");
  const auto [scores, order] = data.preds.sort(0, true);
  const Tensor tps = data.is_positive.index_select(0, order).cumsum(0);
  const std::int64_t n = scores.numel();
  // The last element of each run of equal scores.
  const Tensor is_last = cat({scores.narrow(0, 1, n - 1) != scores.narrow(0, 0, n - 1),
                              full({1}, true, {.dtype = DType::bool_})});
  const Tensor last = is_last.nonzero().squeeze(1);
  const Tensor counts = tps.index_select(0, last);
  return {last + 1 - counts, counts, scores.index_select(0, last)};
}

Tensor cell(const CurveData& data, std::int64_t i, std::int64_t target, std::int64_t pred) {
  return data.confmat.select(1, i).select(1, target).select(1, pred);
}

Tensor with_end(const Tensor& t, double end) { return cat({t, full({1}, end).to(t.dtype())}); }

CurvePoints exact_precision_recall(const ClassData& data) {
  const CumulativeCounts counts = cumulative_counts(data);
  const Tensor precision = quotient(counts.tps, counts.tps + counts.fps);
  Tensor recall = quotient(counts.tps, counts.tps[-1]);
  if ((data.target == 0).all().item<bool>()) {
    warn("no positive samples in targets: recall is set to 1 for all thresholds");
    recall = ones_like(recall);
  }
  return {with_end(precision.flip(0), 1), with_end(recall.flip(0), 0), counts.thresholds.flip(0)};
}

/// Returns counts divided by the last one, and zeros if it is zero.
Tensor rate(const Tensor& counts, const char* missing) {
  const Tensor rates = cat({zeros({1}), counts.to(DType::f32)});
  if (counts[-1].item<std::int64_t>() > 0) return rates / counts[-1];
  warn(format_message("no {} samples in targets: their rate is set to 0", missing));
  return zeros_like(rates);
}

CurvePoints exact_roc(const ClassData& data) {
  const CumulativeCounts counts = cumulative_counts(data);
  return {rate(counts.fps, "negative"), rate(counts.tps, "positive"),
          cat({ones({1}, {.dtype = counts.thresholds.dtype()}), counts.thresholds})};
}

/// Evaluates the piecewise linear function through (xp, fp) at x.
Tensor interpolate(const Tensor& x, const Tensor& xp, const Tensor& fp) {
  const std::int64_t n = xp.numel() - 1;
  const Tensor run = xp.narrow(0, 1, n) - xp.narrow(0, 0, n);
  const Tensor slope = safe_divide(fp.narrow(0, 1, n) - fp.narrow(0, 0, n), run);
  const Tensor intercept = fp.narrow(0, 0, n) - slope * xp.narrow(0, 0, n);
  const Tensor index =
      ((x.unsqueeze(1) >= xp.unsqueeze(0)).sum({1}) - 1).clamp(std::int64_t{0}, n - 1);
  return slope.index_select(0, index) * x + intercept.index_select(0, index);
}

template <class F> std::vector<CurvePoints> for_each_class(const CurveData& data, F&& curve) {
  std::vector<CurvePoints> curves;
  for (std::int64_t i = 0; i < data.classes; ++i) curves.push_back(curve(i));
  return curves;
}

}  // namespace

Tensor CurveData::support() const {
  if (is_binned()) return confmat[0].select(1, 1).sum({1}).to(DType::f32);
  if (task == Task::multiclass) return target.bincount({}, classes).to(DType::f32);
  return (target == 1).sum({0}).to(DType::f32);
}

CurveData CurveData::flattened() const {
  CurveData one{Task::binary, 1, {}};
  if (is_binned()) {
    one.confmat = confmat.sum({1}, true);
    one.thresholds = thresholds;
    return one;
  }
  one.preds = preds.flatten();
  one.target = target.flatten();
  if (ignore_index) {
    const Tensor mask = one.target != *ignore_index;
    one.preds = one.preds.masked_select(mask);
    one.target = one.target.masked_select(mask);
  }
  return one;
}

std::vector<CurvePoints> precision_recall_curves(const CurveData& data) {
  return for_each_class(data, [&](std::int64_t i) -> CurvePoints {
    if (!data.is_binned()) return exact_precision_recall(class_data(data, i));
    const Tensor tps = cell(data, i, 1, 1);
    return {with_end(quotient(tps, tps + cell(data, i, 0, 1)), 1),
            with_end(quotient(tps, tps + cell(data, i, 1, 0)), 0), data.thresholds};
  });
}

std::vector<CurvePoints> roc_curves(const CurveData& data) {
  return for_each_class(data, [&](std::int64_t i) -> CurvePoints {
    if (!data.is_binned()) return exact_roc(class_data(data, i));
    const Tensor tps = cell(data, i, 1, 1), fps = cell(data, i, 0, 1);
    return {safe_divide(fps, fps + cell(data, i, 0, 0)).flip(0),
            safe_divide(tps, tps + cell(data, i, 1, 0)).flip(0), data.thresholds.flip(0)};
  });
}

CurvePoints mean_curve(const std::vector<CurvePoints>& curves, bool has_descending_thresholds) {
  std::vector<Tensor> xs, thresholds;
  for (const CurvePoints& curve : curves) {
    xs.push_back(curve.x);
    thresholds.push_back(curve.thresholds);
  }
  CurvePoints mean{
      cat(xs).sort().first, {}, cat(thresholds).sort(-1, has_descending_thresholds).first};
  mean.y = zeros_like(mean.x);
  for (const CurvePoints& curve : curves) mean.y = mean.y + interpolate(mean.x, curve.x, curve.y);
  mean.y = mean.y / static_cast<std::int64_t>(curves.size());
  return mean;
}

}  // namespace taper::metrics::detail
