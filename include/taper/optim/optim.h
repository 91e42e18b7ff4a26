// Optimizers. PyTorch: torch.optim.
#pragma once
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/optimizer.h"
#include "taper/optim/sgd.h"
#include "taper/optim/swa_lr.h"
#include "taper/optim/swa_utils.h"
