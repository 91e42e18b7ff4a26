// Functions that run the cases of each training family.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

void run_optim(Case& c);
/// Training curves.
void run_curve(Case& c);
/// Learning rate schedules.
void run_sched(Case& c);
/// A program of random draws.
void run_rng(Case& c);
/// Initial values: functions of nn.init, tables of gains, errors, layers and networks.
void run_init(Case& c);

/// Functions on parameters and modules.
void run_utils(Case& c);

/// Sets the tolerance of the case from the field `tolerance` ({rtol, atol}), if present.
void read_tolerance(Case& c);

}  // namespace taper::oracle
