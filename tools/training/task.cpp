#include "task.h"

#include <fmt/format.h>

#include <cmath>

#include "core/check.h"
#include "taper/nn/functional.h"

namespace training {

using taper::Tensor;
namespace F = taper::F;

namespace {

bool are_log_probabilities(const Tensor& outputs) {
  constexpr double kTolerance = 1e-3;
  const Tensor rows = outputs.detach().to(taper::DType::f64).contiguous();
  const auto values = rows.data<double>();
  const auto classes = static_cast<std::size_t>(rows.size(1));
  for (std::size_t i = 0; i < values.size(); i += classes) {
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += std::exp(values[i + k]);
    if (!(std::abs(sum - 1) < kTolerance)) return false;
  }
  return true;
}

/// Returns outputs (N, 1) as numbers (N).
Tensor numbers_of(const Tensor& outputs) {
  if (outputs.size(1) != 1)
    taper::fail<taper::ShapeError>("regression: expected outputs of shape ({}, 1), got {}",
                                   outputs.size(0), outputs.shape().str());
  return outputs.squeeze(1);
}

}  // namespace

std::string_view name_of(Score score) { return score == Score::accuracy ? "accuracy" : "r2"; }

std::string score_text(Score score, double value) {
  return score == Score::accuracy ? fmt::format("{:>5.1f} %", 100 * value)
                                  : fmt::format("{:>7.3f}", value);
}

Task::Task(const Tensor& labels)
    : score_(labels.is_floating_point() ? Score::r2 : Score::accuracy) {}

Tensor Task::loss(const Tensor& outputs, const Tensor& labels) {
  if (score_ == Score::r2) return F::mse_loss(numbers_of(outputs), labels);
  if (output_kind_ == OutputKind::unknown)
    output_kind_ =
        are_log_probabilities(outputs) ? OutputKind::log_probabilities : OutputKind::scores;
  return output_kind_ == OutputKind::scores ? F::cross_entropy(outputs, labels)
                                            : F::nll_loss(outputs, labels);
}

Tensor in_target_unit(const Tensor& outputs, double scale, double mean) {
  return numbers_of(outputs).to(taper::float64) * scale + mean;
}

double variance_of(const Tensor& labels) {
  if (!labels.is_floating_point()) return 0;
  return labels.to(taper::float64).var({}, 0).item<double>();
}

double Task::sum_of_scores(const Tensor& outputs, const Tensor& labels, double variance) const {
  if (score_ == Score::accuracy)
    return static_cast<double>(outputs.argmax(1).eq(labels).sum().item<std::int64_t>());
  const Tensor errors = (numbers_of(outputs) - labels).to(taper::float64);
  return static_cast<double>(labels.numel()) - (errors * errors).sum().item<double>() / variance;
}

}  // namespace training
