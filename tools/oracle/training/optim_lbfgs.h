// Runs of LBFGS on closures.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Kind lbfgs of family optim: minimizes a named function of one parameter.
void run_lbfgs(Case& c);

}  // namespace taper::oracle
