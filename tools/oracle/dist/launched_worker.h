// Worker of the family elastic: the process that a launcher starts for each rank.
#pragma once

namespace taper::oracle {

/// Variables that tell a worker what to do.
inline constexpr const char* kWorkerFolder = "DIST_FOLDER";  ///< directory of the notes of workers
inline constexpr const char* kWorkerExits = "DIST_EXITS";    ///< JSON: [[attempt, rank, code], ...]
inline constexpr const char* kWorkerBase = "DIST_BASE";      ///< JSON: variables of the launcher

/// Returns true if this process is a worker.
bool is_launched_worker();
/// Notes the arguments and the variables that the launcher has set in the file
/// `started-<attempt>-<rank>`, and waits until all workers have done so. If the attempt fails by
/// another rank, waits for SIGTERM and notes it in `terminated-<attempt>-<rank>`. Returns the exit
/// status.
int run_launched_worker(int argc, char** argv);

}  // namespace taper::oracle
