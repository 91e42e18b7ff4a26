#include "train/events/pr_curve.h"

#include <algorithm>

#include "core/check.h"
#include "taper/core/factory.h"

namespace taper::train::events {
namespace {

/// Returns the index of the last threshold that each prediction reaches. It is computed in the
/// dtype of the predictions, which decides between neighboring thresholds.
Tensor threshold_indices(const Tensor& predictions, std::int64_t num_thresholds) {
  const DType dtype = predictions.dtype();
  const Tensor exact = !is_floating_point(dtype) ? predictions.to(DType::f64)
                       : dtype == DType::bf16    ? predictions.to(DType::f16)
                                                 : predictions;
  return (exact * (num_thresholds - 1)).floor().to(DType::f64).flatten().contiguous();
}

Tensor doubles(const Tensor& t) { return t.detach().cpu().to(DType::f64); }

}  // namespace

Tensor compute_pr_curve(const Tensor& labels, const Tensor& predictions,
                        std::int64_t num_thresholds, const Tensor& weights) {
  constexpr double kMinCount = 1e-7;
  if (num_thresholds < 1)
    fail<ValueError>("add_pr_curve: num_thresholds must be positive, got {}", num_thresholds);
  if (labels.shape() != predictions.shape())
    fail<ShapeError>("add_pr_curve: labels and predictions differ in shape: {} and {}",
                     labels.shape(), predictions.shape());
  const Tensor factor = weights.defined() ? doubles(weights) : tensor(1.0, {.dtype = DType::f64});
  const Tensor weighted = doubles(labels) * factor, negative = (1 - doubles(labels)) * factor;
  if (weighted.shape() != labels.shape())
    fail<ShapeError>("add_pr_curve: weights of shape {} do not broadcast to the labels, {}",
                     weights.shape(), labels.shape());
  const auto count = static_cast<std::size_t>(num_thresholds);
  std::vector<double> tp(count), fp(count);
  const Tensor indices = threshold_indices(predictions.detach().cpu(), num_thresholds),
               positives = weighted.flatten().contiguous(),
               negatives = negative.flatten().contiguous();
  const auto index = indices.data<double>(), positive = positives.data<double>(),
             rest = negatives.data<double>();
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (!(index[i] >= 0 && index[i] <= static_cast<double>(num_thresholds - 1))) continue;
    tp[static_cast<std::size_t>(index[i])] += positive[i];
    fp[static_cast<std::size_t>(index[i])] += rest[i];
  }
  for (std::size_t i = count - 1; i-- > 0;) tp[i] += tp[i + 1], fp[i] += fp[i + 1];

  std::vector<double> rows(6 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const double fn = tp[0] - tp[i];
    rows[i] = tp[i];
    rows[count + i] = fp[i];
    rows[2 * count + i] = fp[0] - fp[i];
    rows[3 * count + i] = fn;
    rows[4 * count + i] = tp[i] / std::max(kMinCount, tp[i] + fp[i]);
    rows[5 * count + i] = tp[i] / std::max(kMinCount, tp[i] + fn);
  }
  return tensor(std::span<const double>(rows), {6, num_thresholds});
}

Tensor stack_pr_curve(const PrCurveCounts& c) {
  const Tensor* const rows[] = {&c.true_positive_counts,
                                &c.false_positive_counts,
                                &c.true_negative_counts,
                                &c.false_negative_counts,
                                &c.precision,
                                &c.recall};
  std::vector<Tensor> converted;
  for (const Tensor* row : rows) {
    if (!row->defined()) fail<ValueError>("add_pr_curve_raw: a tensor is undefined");
    if (row->dim() != 1 || row->shape() != rows[0]->shape())
      fail<ShapeError>("add_pr_curve_raw: expected 1-dimensional tensors of one shape, got {}",
                       row->shape());
    converted.push_back(doubles(*row));
  }
  return stack(converted);
}

}  // namespace taper::train::events
