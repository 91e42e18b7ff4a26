// RankJob: the processes of a job on this machine.
#pragma once
#include <string>
#include <vector>

#include "rank_process.h"

namespace taper::cli {

struct JobOptions {
  std::vector<std::string> command{};
  int min_ranks = 1, max_ranks = 1;
  int max_restarts = 0;
  int port = 0;  ///< MASTER_PORT; 0: one that is free
  bool prefixes = true;
};

/// Starts the ranks, copies their output, and waits until all have ended. When one fails, ends the
/// others: after half a second, in which they can report it, by SIGTERM, and after another second
/// by SIGKILL. Then starts all again while restarts are left: as many as have not failed
/// themselves, but at least `min_ranks`. SIGINT, SIGTERM and SIGHUP end the job. Returns the exit
/// status of the first rank that has failed in the last attempt, or 0. Throws taper::IoError if the
/// program cannot be started.
int run_job(const JobOptions& options);

}  // namespace taper::cli
