// Scenarios of jobs, such as those that fail, run by processes of their own.
#pragma once
#include <string_view>

namespace taper::test {

/// Runs a scenario on this rank and returns the exit status. An error is written to standard error.
int run_scenario(std::string_view name);

/// Trains a divided network and writes its checkpoints to the folder TAPER_CHECKPOINTS.
void write_checkpoints();

}  // namespace taper::test
