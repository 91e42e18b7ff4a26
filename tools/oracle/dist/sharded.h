// Whole values of modules whose parameters are divided among ranks.
#pragma once
#include "dist/rank_training.h"
#include "taper/core/shape.h"
#include "taper/core/value.h"
#include "taper/nn/module_base.h"

namespace taper::oracle {

Value shape_list(const Shape& shape);
/// Returns copies of the whole state dict, and the whole gradients by name, None where absent.
Value full_state(const nn::Module& model);
Value full_gradients(const nn::Module& model);
/// Lets a runner report whole values and clip by the norm of whole gradients.
void use_whole_values(StepRunner& runner);

}  // namespace taper::oracle
