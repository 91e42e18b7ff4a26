#include "taper/nn/loss.h"

#include "nn/layers/loss_options.h"
#include "taper/core/warning.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(CrossEntropyLoss, weight)
TAPER_LAYER_MEMBERS(NLLLoss, weight)
TAPER_LAYER_MEMBERS(MSELoss)
TAPER_LAYER_MEMBERS(L1Loss)
TAPER_LAYER_MEMBERS(SmoothL1Loss)

std::optional<Buffer> to_buffer(const OptionalTensor& weight) {
  if (!weight) return std::nullopt;
  return Buffer(*weight);
}

std::string reduction_of(const Arguments& a) {
  const bool averaged = a["size_average"].is_none() || a.flag("size_average");
  const bool reduced = a["reduce"].is_none() || a.flag("reduce");
  if (a["size_average"].is_none() && a["reduce"].is_none()) return a.string("reduction");
  const std::string name = !reduced ? "none" : averaged ? "mean" : "sum";
  warn("size_average and reduce args will be deprecated, please use reduction='" + name +
       "' instead.");
  return name;
}

CrossEntropyLoss::CrossEntropyLoss(const CrossEntropyLossOptions& o)
    : weight(to_buffer(o.weight)),
      ignore_index(o.ignore_index),
      reduction(o.reduction),
      label_smoothing(o.label_smoothing) {}

Tensor CrossEntropyLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::cross_entropy(called(input), target,
                                   {.weight = weight,
                                    .ignore_index = ignore_index,
                                    .reduction = reduction,
                                    .label_smoothing = label_smoothing});
}

NLLLoss::NLLLoss(const NLLLossOptions& o)
    : weight(to_buffer(o.weight)), ignore_index(o.ignore_index), reduction(o.reduction) {}

Tensor NLLLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::nll_loss(
      called(input), target,
      {.weight = weight, .ignore_index = ignore_index, .reduction = reduction});
}

Tensor MSELoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::mse_loss(called(input), target, {.reduction = reduction});
}

Tensor L1Loss::forward(const Tensor& input, const Tensor& target) const {
  return functional::l1_loss(called(input), target, {.reduction = reduction});
}

Tensor SmoothL1Loss::forward(const Tensor& input, const Tensor& target) const {
  return functional::smooth_l1_loss(called(input), target, *this);
}

TAPER_LOSS_SCHEMA(MSELoss, "size_average, reduce, reduction")
TAPER_LOSS_SCHEMA(L1Loss, "size_average, reduce, reduction")

TAPER_LOSS_SCHEMA(CrossEntropyLoss,
                  "weight, size_average, ignore_index, reduce, reduction, label_smoothing")

TAPER_LOSS_SCHEMA(NLLLoss, "weight, size_average, ignore_index, reduce, reduction")

TAPER_LOSS_SCHEMA(SmoothL1Loss, "size_average, reduce, reduction, beta")

}  // namespace taper::nn
