// Calls that schedulers must reject.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs a case with rows of {call, type, text}: compares the error message of each call and checks
/// that the call leaves the optimizer unchanged.
void run_sched_errors(Case& c);

}  // namespace taper::oracle
