// The draws that programs of family rng are made of.
#pragma once
#include "taper/core/generator.h"
#include "training/fields.h"

namespace taper::oracle {

/// Runs one op that gives a tensor. Throws BadCase for one that is not known.
Tensor draw(const Generator& generator, Fields& op);

}  // namespace taper::oracle
