// Functions that run the cases of each family of models.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs image classifiers: construction from a seed, evaluation and one training step.
void run_vision(Case& c);

}  // namespace taper::oracle
