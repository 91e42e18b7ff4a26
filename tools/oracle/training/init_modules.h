// Family init: layers and networks initialized from a seed.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

void run_init_layer(Case& c);
void run_init_stack(Case& c);
/// Compares the initial state of the whole network, its output and its gradients.
void run_resnet18(Case& c);

}  // namespace taper::oracle
