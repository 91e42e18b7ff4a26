// Family init: layers and networks initialized from a seed.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

void run_init_layer(Case& c);
void run_init_stack(Case& c);
/// The whole network: its state, output and gradients.
void run_resnet18(Case& c);

}  // namespace taper::oracle
