#include "metrics/classification/inputs.h"

#include "core/check.h"

#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {
namespace {

/// Returns true for scores `(N, C, ...)` of targets `(N, ...)`. Throws ShapeError if the shapes do
/// not fit.
bool has_class_dimension(const InputRules& rules, const Tensor& preds, const Tensor& target) {
  if (preds.shape() == target.shape()) return false;
  bool fits =
      preds.dim() >= 2 && preds.dim() == target.dim() + 1 && preds.size(1) == rules.num_classes;
  for (std::int64_t d = 0; fits && d < target.dim(); ++d)
    fits = target.size(d) == preds.size(d == 0 ? 0 : d + 1);
  if (!fits)
    fail<ShapeError>(
        "{}: shapes of preds and target do not fit: {} and {}, expected (N, {}, ...) "
        "or (N, ...), and (N, ...)",
        rules.metric, preds.shape(), target.shape(), rules.num_classes);
  check_floating(rules.metric, "preds with a dimension of classes", preds);
  return true;
}

void check_target_dtype(const InputRules& rules, const Tensor& target) {
  if (target.is_floating_point())
    fail<DTypeError>("{}: target must be of an integer type, got {}", rules.metric, target.dtype());
}

void check_label_count(const InputRules& rules, const Tensor& preds) {
  if (preds.dim() < 2 || preds.size(1) != rules.num_classes)
    fail<ShapeError>("{}: got preds of shape {}, expected (N, {}, ...)", rules.metric,
                     preds.shape(), rules.num_classes);
}

}  // namespace

void check_rules(const InputRules& rules) {
  if (rules.task != Task::multiclass) check_fraction(rules.metric, "threshold", rules.threshold);
  if (rules.task != Task::binary)
    check_at_least(rules.metric, rules.task == Task::multiclass ? "num_classes" : "num_labels",
                   rules.num_classes, 2);
}

void check_inputs(const InputRules& rules, const Tensor& preds, const Tensor& target) {
  if (rules.task == Task::multiclass) {
    static_cast<void>(has_class_dimension(rules, preds, target));
    return;
  }
  check_same_shape(rules.metric, preds, target);
  if (rules.task == Task::multilabel) check_label_count(rules, preds);
  if (!rules.validate_args) return;
  check_zero_or_one(rules.metric, "target", target, rules.ignore_index);
  if (!preds.is_floating_point()) check_zero_or_one(rules.metric, "preds", preds);
}

void check_scores(const InputRules& rules, const Tensor& preds, const Tensor& target) {
  check_inputs(rules, preds, target);
  check_floating(rules.metric, "preds", preds);
  check_target_dtype(rules, target);
  if (rules.task == Task::multiclass && preds.dim() == target.dim())
    fail<ShapeError>("{}: expected preds with a dimension of classes, got shapes {} and {}",
                     rules.metric, preds.shape(), target.shape());
}

Tensor counted(const InputRules& rules, const Tensor& target) {
  return rules.ignore_index ? target != *rules.ignore_index
                            : full(target.shape(), true, {.dtype = DType::bool_});
}

Tensor predicted_labels(const InputRules& rules, const Tensor& preds, const Tensor& target) {
  if (rules.task == Task::multiclass)
    return has_class_dimension(rules, preds, target) ? preds.argmax(1) : preds.to(DType::i64);
  if (preds.is_floating_point()) return (sigmoid_if_logits(preds) > rules.threshold).to(DType::i64);
  return preds.to(DType::i64);
}

}  // namespace taper::metrics
