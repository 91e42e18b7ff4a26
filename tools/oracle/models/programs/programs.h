// Programs around image classifiers, ported from Python. Each returns named results.
#pragma once
#include "cases/case.h"
#include "taper/core/value.h"
#include "taper/nn/module_base.h"

namespace taper::oracle {

/// Random images with classes: the field `input` of a case.
struct ImageBatch {
  explicit ImageBatch(Case& c);
  Tensor images, classes;
  std::int64_t num_classes;
};

/// Names, numbers of elements, printed parts and weights of a model.
Value run_tour(Case& c);
/// One training step of SGD.
Value run_one_step(Case& c);
/// A new last layer is trained alone.
Value run_finetune_head(Case& c);
/// Output shapes of all layers by hooks, and the output of the body.
Value run_features(Case& c);
/// A state dict of another number of classes.
Value run_other_head(Case& c);
/// Groups of parameters with options of their own.
Value run_groups(Case& c);

}  // namespace taper::oracle
