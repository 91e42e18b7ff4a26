// Programs of several calls over named values.
#pragma once
#include "dist/rank_case.h"

namespace taper::oracle {

/// Runs the steps of `program` of this rank over `values`, which it returns.
Value run_program(RankCase& c);

}  // namespace taper::oracle
