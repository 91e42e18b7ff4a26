// Learning rate schedulers. PyTorch: torch.optim.lr_scheduler.
#pragma once
#include "taper/optim/lr_scheduler/compose.h"
#include "taper/optim/lr_scheduler/cosine.h"
#include "taper/optim/lr_scheduler/cyclic.h"
#include "taper/optim/lr_scheduler/decay.h"
#include "taper/optim/lr_scheduler/lambda.h"
#include "taper/optim/lr_scheduler/make.h"
#include "taper/optim/lr_scheduler/one_cycle.h"
#include "taper/optim/lr_scheduler/plateau.h"
#include "taper/optim/lr_scheduler/scheduler.h"
#include "taper/optim/lr_scheduler/warmup.h"
