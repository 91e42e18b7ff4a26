// Kinds of the family amp.
#pragma once
#include "kit/values.h"

namespace taper::oracle {

/// Runs a function under autocast with inputs of several dtypes and compares the dtypes of its
/// results.
void run_autocast_policy(Case& c, Generators& generators);
/// Runs a list of statements, of which some show values.
void run_autocast_program(Case& c, Generators& generators);
/// Runs actions on a GradScaler.
void run_grad_scaler(Case& c, Generators& generators);
/// Runs a program, or constructs a GradScaler, which must fail.
void run_amp_error(Case& c, Generators& generators);

}  // namespace taper::oracle
