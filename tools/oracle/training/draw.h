// Draws of the programs in family rng.
#pragma once
#include "taper/core/generator.h"
#include "training/fields.h"

namespace taper::oracle {

/// Runs one op that returns a tensor. Throws MalformedCase for an unknown op.
Tensor draw(const Generator& generator, Fields& op);

}  // namespace taper::oracle
