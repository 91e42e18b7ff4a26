// What runs the cases of each training family.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

void run_optim(Case& c);
/// Runs of training.
void run_curve(Case& c);
/// A program of draws.
void run_rng(Case& c);
/// Initial values: kinds function, gain_table, errors.
void run_init(Case& c);

/// Functions on parameters and modules.
void run_utils(Case& c);

/// Reads the field `tolerance` ({rtol, atol}) into the case's tolerance, if it is there.
void read_tolerance(Case& c);

}  // namespace taper::oracle
