// Which function runs a case.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs a case of either format by its family and kind. Throws BadCase for a kind that is not
/// known, Missing for one whose subject does not exist yet.
void run_case(Case& c);

}  // namespace taper::oracle
