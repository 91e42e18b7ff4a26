#include "taper/metrics/classification/exact_match.h"

#include "core/check.h"

#include "metrics/classification/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {

std::string_view ExactMatch::type_name() const {
  return task_ == Task::multiclass ? "MulticlassExactMatch" : "MultilabelExactMatch";
}

ExactMatch::ExactMatch(Task task, std::int64_t num_classes, const ExactMatchOptions& options)
    : task_(task), num_classes_(num_classes), options_(options) {
  const std::string_view name = ExactMatch::type_name();
  check_rules({name, task, num_classes, {}, true, options.threshold});
  check_choice(name, "multidim_average", options.multidim_average, {"global", "samplewise"});
  const Tensor zero = zeros({}, {.dtype = DType::i64});
  if (options.multidim_average == "global")
    add_state("correct", zero);
  else
    add_list("correct");
  add_state("total", zero, options.multidim_average == "global" ? Reduction::sum : Reduction::last);
}

void ExactMatch::update_state(const Tensor& preds, const Tensor& target) {
  const InputRules rules{
      type_name(),       task_, num_classes_, options_.ignore_index, options_.validate_args,
      options_.threshold};
  check_inputs(rules, preds, target);
  const bool is_samplewise = options_.multidim_average == "samplewise";
  if (target.dim() == 0 || (is_samplewise && target.dim() < (task_ == Task::multiclass ? 2 : 3)))
    fail<ShapeError>("{}: target has too few dimensions: {}", type_name(), target.shape());
  const Tensor mask = counted(rules, target);
  const Tensor labels = predicted_labels(rules, preds, target);
  if (task_ == Task::multiclass)
    check_labels(type_name(), "target", target.masked_select(mask), num_classes_);
  // A multiclass sample is correct if all its elements are, a multilabel sample is correct at a
  // position if all labels are correct there.
  const Tensor is_correct = (labels == target) | ~mask;
  const Tensor correct = task_ == Task::multiclass ? is_correct.unsqueeze(-1).flatten(1).all({1})
                                                   : is_correct.all({1}).unsqueeze(-1).flatten(1);
  if (is_samplewise) {
    append("correct", task_ == Task::multiclass ? correct : correct.sum({1}));
    set_state("total", full({}, task_ == Task::multiclass ? 1 : correct.size(1)));
  } else {
    accumulate("correct", correct.sum());
    accumulate("total", full({}, correct.numel()));
  }
}

Tensor ExactMatch::compute_score() const {
  return safe_divide(
      options_.multidim_average == "samplewise" ? concatenated("correct") : state("correct"),
      state("total"));
}

}  // namespace taper::metrics
