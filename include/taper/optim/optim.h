// Optimizers. PyTorch: torch.optim.
#pragma once
#include "taper/optim/optimizer.h"
#include "taper/optim/sgd.h"
#include "taper/optim/swa_utils.h"
