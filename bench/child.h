// Running other programs and reading what they cost.
#pragma once
#include <string>
#include <vector>

namespace taper::bench {

struct ChildCost {
  double seconds = 0;  ///< wall time
  double cpu = 0;      ///< processor time
  /// Largest resident set. The kernel counts what this program held when it started the other, so
  /// rows of memory come first, while it is small.
  double megabytes = 0;
};
/// Throws std::runtime_error with the command if it fails.
ChildCost run_child(const std::vector<std::string>& command);

}  // namespace taper::bench
