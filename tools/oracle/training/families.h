// Functions that run the cases of each training family.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

void run_optim(Case& c);
/// Runs a training curve.
void run_curve(Case& c);
/// Runs a learning rate schedule.
void run_sched(Case& c);
/// Runs a program of random draws.
void run_rng(Case& c);
/// Compares initial values: functions of nn.init, tables of gains, errors, layers and networks.
void run_init(Case& c);

/// Runs functions on parameters and modules.
void run_utils(Case& c);
/// Compares quantities, gradients, divergences and samples of distributions.
void run_distributions(Case& c);
/// Runs a scenario of autograd.
void run_autograd(Case& c);

/// Sets the tolerance of the case from the field `tolerance` ({rtol, atol}), if present.
void read_tolerance(Case& c);

}  // namespace taper::oracle
