// Functions that run the cases of each distributed family.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs collectives, their gradients and programs of several calls.
void run_collectives(Case& c);

}  // namespace taper::oracle
