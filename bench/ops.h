#pragma once
#include <string>

namespace taper::bench {

/// Prints a line per sample of each op whose name contains `part`: time of a call, memory bandwidth
/// and arithmetic throughput.
void time_ops(const std::string& part);

}  // namespace taper::bench
