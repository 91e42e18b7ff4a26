// Selection of the function that runs a case.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs a case of either format by its family and kind. Throws MalformedCase for an unknown kind,
/// Unsupported if the library lacks its subject.
void run_case(Case& c);

}  // namespace taper::oracle
