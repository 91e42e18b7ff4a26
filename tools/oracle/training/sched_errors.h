// Calls that schedulers must reject.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Rows of {call, type, text}. Compares the message, and that the optimizer is unchanged.
void run_sched_errors(Case& c);

}  // namespace taper::oracle
