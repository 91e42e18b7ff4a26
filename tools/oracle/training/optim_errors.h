// Calls that optimizers must refuse.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Rows of {call, type, text}: the call is Python, of the form `Name([p], option=value, ...)`, or
/// one of a few that are put into words.
void run_optim_errors(Case& c);

}  // namespace taper::oracle
