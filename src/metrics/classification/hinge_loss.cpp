#include "taper/metrics/classification/hinge_loss.h"

#include <limits>

#include "metrics/classification/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {

std::string_view HingeLoss::type_name() const {
  return task_ == Task::binary ? "BinaryHingeLoss" : "MulticlassHingeLoss";
}

HingeLoss::HingeLoss(Task task, std::int64_t num_classes, const HingeLossOptions& options)
    : task_(task), num_classes_(num_classes), options_(options) {
  const std::string_view name = HingeLoss::type_name();
  check_rules({name, task, num_classes});
  check_choice(name, "multiclass_mode", options.multiclass_mode, {"crammer-singer", "one-vs-all"});
  const bool has_classes = task == Task::multiclass && options.multiclass_mode == "one-vs-all";
  add_state("measures", zeros(has_classes ? Shape{num_classes} : Shape{}));
  add_state("total", zeros({}, {.dtype = DType::i64}));
}

void HingeLoss::update_state(const Tensor& preds, const Tensor& target) {
  const InputRules rules{type_name(), task_, num_classes_, options_.ignore_index,
                         options_.validate_args};
  check_scores(rules, preds, target);
  const Tensor rows = counted(rules, target).flatten().nonzero().squeeze(1);
  const Tensor y = target.flatten().index_select(0, rows);
  Tensor margin;
  if (task_ == Task::binary) {
    const Tensor p = sigmoid_if_logits(preds.flatten().index_select(0, rows));
    margin = p.where(y == 1, -p);
  } else {
    const Tensor p =
        softmax_if_logits(preds.movedim(1, -1).reshape({-1, num_classes_}).index_select(0, rows));
    check_labels(type_name(), "target", y, num_classes_);
    const Tensor is_target = one_hot(y, num_classes_) == 1;
    if (options_.multiclass_mode == "one-vs-all")
      margin = p.where(is_target, -p);
    else
      margin = p.masked_fill(~is_target, 0).sum({1}) -
               p.masked_fill(is_target, -std::numeric_limits<double>::infinity()).amax({1});
  }
  const Tensor loss = (1 - margin).clamp_min(0);
  accumulate("measures", (options_.squared ? loss.square() : loss).sum(Dims{0}));
  accumulate("total", full({}, y.size(0)));
}

Tensor HingeLoss::compute_score() const { return state("measures") / state("total"); }

}  // namespace taper::metrics
