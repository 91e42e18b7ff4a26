// Calls that optimizers must reject.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs a case with rows of {call, type, text}. The call is Python code of the form
/// `Name([p], option=value, ...)`, or one of a few descriptions in words.
void run_optim_errors(Case& c);

}  // namespace taper::oracle
