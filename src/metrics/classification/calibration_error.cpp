#include "taper/metrics/classification/calibration_error.h"

#include "metrics/classification/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {

std::string_view CalibrationError::type_name() const {
  return task_ == Task::binary ? "BinaryCalibrationError" : "MulticlassCalibrationError";
}

CalibrationError::CalibrationError(Task task, std::int64_t num_classes,
                                   const CalibrationErrorOptions& options)
    : task_(task), num_classes_(num_classes), options_(options) {
  const std::string_view name = CalibrationError::type_name();
  check_rules({name, task, num_classes});
  check_at_least(name, "n_bins", options.n_bins, 1);
  check_choice(name, "norm", options.norm, {"l1", "l2", "max"});
  add_list("confidences");
  add_list("accuracies");
}

void CalibrationError::update_state(const Tensor& preds, const Tensor& target) {
  const InputRules rules{type_name(), task_, num_classes_, options_.ignore_index,
                         options_.validate_args};
  check_scores(rules, preds, target);
  const Tensor rows = counted(rules, target).flatten().nonzero().squeeze(1);
  const Tensor y = target.flatten().index_select(0, rows);
  if (task_ == Task::binary) {
    append("confidences", sigmoid_if_logits(preds.flatten().index_select(0, rows)));
    append("accuracies", y);
    return;
  }
  check_labels(type_name(), "target", y, num_classes_);
  const auto [confidences, labels] =
      softmax_if_logits(preds.movedim(1, -1).reshape({-1, num_classes_}).index_select(0, rows))
          .max(1);
  append("confidences", confidences.to(DType::f32));
  append("accuracies", (labels == y).to(DType::f32));
}

Tensor CalibrationError::compute_score() const {
  const Tensor confidences = concatenated("confidences");
  const Tensor accuracies = concatenated("accuracies").to(confidences.dtype());
  // A confidence of 1 has a separate bin.
  const Tensor bounds = linspace(0, 1, options_.n_bins + 1, {.dtype = confidences.dtype()});
  const Tensor bins = bucketize(confidences, bounds, false, true) - 1;
  const auto sum = [&](const Tensor& t) { return zeros_like(bounds).scatter_add(0, bins, t); };
  const Tensor counts = sum(ones_like(confidences));
  const auto mean = [&](const Tensor& t) { return (sum(t) / counts).nan_to_num(0); };
  const Tensor shares = counts / counts.sum();
  const Tensor gaps = (mean(accuracies) - mean(confidences)).abs();
  if (options_.norm == "l1") return (gaps * shares).sum();
  if (options_.norm == "max") return gaps.max();
  const Tensor square = (gaps.square() * shares).sum();
  return square.item<double>() > 0 ? square.sqrt() : full({}, 0);
}

}  // namespace taper::metrics
