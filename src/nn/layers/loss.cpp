#include "taper/nn/loss.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(CrossEntropyLoss, weight)
TAPER_LAYER_MEMBERS(NLLLoss, weight)
TAPER_LAYER_MEMBERS(MSELoss)
TAPER_LAYER_MEMBERS(L1Loss)
TAPER_LAYER_MEMBERS(SmoothL1Loss)

namespace {

std::optional<Buffer> held(const Tensor& weight) {
  if (!weight) return std::nullopt;
  return Buffer(weight);
}
Tensor given(const std::optional<Buffer>& weight) {
  if (!weight) return {};
  return *weight;
}

}  // namespace

CrossEntropyLoss::CrossEntropyLoss(const CrossEntropyLossOptions& o)
    : weight(held(o.weight)),
      ignore_index(o.ignore_index),
      reduction(o.reduction),
      label_smoothing(o.label_smoothing) {}

Tensor CrossEntropyLoss::forward(const Tensor& input, const Tensor& target) {
  return functional::cross_entropy(input, target,
                                   {.weight = given(weight),
                                    .ignore_index = ignore_index,
                                    .reduction = reduction,
                                    .label_smoothing = label_smoothing});
}

NLLLoss::NLLLoss(const NLLLossOptions& o)
    : weight(held(o.weight)), ignore_index(o.ignore_index), reduction(o.reduction) {}

Tensor NLLLoss::forward(const Tensor& input, const Tensor& target) {
  return functional::nll_loss(
      input, target,
      {.weight = given(weight), .ignore_index = ignore_index, .reduction = reduction});
}

Tensor MSELoss::forward(const Tensor& input, const Tensor& target) {
  return functional::mse_loss(input, target, reduction);
}

Tensor L1Loss::forward(const Tensor& input, const Tensor& target) {
  return functional::l1_loss(input, target, reduction);
}

Tensor SmoothL1Loss::forward(const Tensor& input, const Tensor& target) {
  return functional::smooth_l1_loss(input, target, reduction, beta);
}

}  // namespace taper::nn
