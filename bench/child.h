// Runs child processes and measures their cost.
#pragma once
#include <string>
#include <vector>

namespace taper::bench {

struct ChildCost {
  double seconds = 0;  ///< wall time in seconds
  double cpu = 0;      ///< processor time in seconds
  /// Maximum resident set size in megabytes. The kernel includes the memory that this program held
  /// when it started the child, so that memory benchmarks must run first.
  double megabytes = 0;
};
/// Runs a command and returns its cost. Throws std::runtime_error with the command if it fails.
ChildCost run_child(const std::vector<std::string>& command);

}  // namespace taper::bench
