#pragma once
#include "ops/op.h"

namespace taper {

/// Multi-label margin loss of the rows of `input` (N, C): the sum over the labels t and all other
/// classes i of max(0, 1 - (input[t] - input[i])), divided by C. The labels of a row are the
/// entries of `target` (N, C) before the first -1. The loss is linear in the input between the
/// points where a term becomes 0: `slope` (N, C) contains the derivatives.
struct MultilabelMarginLoss {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "multilabel_margin_loss",
                             .node = "MultilabelMarginLossBackward0",
                             .inputs = "input target",
                             .outputs = "output slope",
                             .dtypes = DTypeSet::full_precision,
                             .saved = out(1),
                             .autocast = AutocastPolicy::f32,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MultilabelMarginLoss>& b) const;
};

}  // namespace taper
