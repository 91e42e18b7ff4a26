// Running other programs and reading what they cost.
#pragma once
#include <string>
#include <vector>

namespace taper::bench {

struct Cost {
  double seconds = 0;    ///< wall time
  double cpu = 0;        ///< processor time
  double megabytes = 0;  ///< largest resident set
};
/// Throws std::runtime_error with the command if it fails.
Cost run_child(const std::vector<std::string>& command);

}  // namespace taper::bench
