// Family init: layers and networks made from a seed.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

void run_init_layer(Case& c);
void run_init_stack(Case& c);

}  // namespace taper::oracle
