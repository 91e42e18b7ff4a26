// Optimizers. PyTorch: torch.optim.
#pragma once
#include "taper/optim/optimizer.h"
#include "taper/optim/sgd.h"
