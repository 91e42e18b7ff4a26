#include <cmath>
#include <limits>

#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/metrics/classification/confusion_matrix.h"

namespace taper::metrics {
namespace {

/// Counts of a binary confusion matrix.
struct BinaryCounts {
  float tn, fp, fn, tp;
};

/// Returns the coefficient of a matrix with an empty row or column: its limit for small counts
/// instead of zeros.
Tensor degenerate_coefficient(const BinaryCounts& n) {
  const float eps = std::numeric_limits<float>::epsilon();
  float numerator = 0;
  if (n.fn == 0 && n.tn == 0)
    numerator = std::sqrt(eps) * (n.tp - n.fp);
  else if (n.fp == 0 && n.tn == 0)
    numerator = std::sqrt(eps) * (n.tp - n.fn);
  else if (n.tp == 0 && n.fn == 0)
    numerator = std::sqrt(eps) * (n.tn - n.fp);
  else if (n.tp == 0 && n.fp == 0)
    numerator = std::sqrt(eps) * (n.tn - n.fn);
  const float denominator =
      (n.tp + n.fp + eps) * (n.tp + n.fn + eps) * (n.tn + n.fp + eps) * (n.tn + n.fn + eps);
  return full({}, numerator / std::sqrt(denominator), {.dtype = DType::f32});
}

}  // namespace

MatthewsCorrCoef::MatthewsCorrCoef(std::string_view name, Task task, std::int64_t num_classes,
                                   const MatthewsCorrCoefOptions& o)
    : ConfusionMatrixMetric(name,
                            {task, num_classes, o.threshold, o.ignore_index, o.validate_args}) {}

Tensor MatthewsCorrCoef::compute_score() const {
  Tensor confmat = state("confmat");
  if (confmat.dim() == 3) confmat = confmat.sum({0});
  const bool is_binary = confmat.numel() == 4;
  BinaryCounts n{};
  if (is_binary) {
    const std::vector<double> cells = to_doubles(confmat);
    n = {static_cast<float>(cells[0]), static_cast<float>(cells[1]), static_cast<float>(cells[2]),
         static_cast<float>(cells[3])};
    // Integers, as the counts.
    if (n.tp + n.tn != 0 && n.fp + n.fn == 0) return full({}, 1);
    if (n.tp + n.tn == 0 && n.fp + n.fn != 0) return full({}, -1);
  }
  confmat = confmat.to(DType::f32);
  const Tensor targets = confmat.sum({-1}), predictions = confmat.sum({-2}), total = confmat.sum();
  const Tensor covariance = confmat.diagonal().sum() * total - (targets * predictions).sum();
  const Tensor variance_p = total.square() - predictions.square().sum();
  const Tensor variance_t = total.square() - targets.square().sum();
  const Tensor denominator = variance_p * variance_t;
  if (denominator.item<float>() != 0) return covariance / denominator.sqrt();
  return is_binary ? degenerate_coefficient(n) : zeros({});
}

}  // namespace taper::metrics
