#pragma once
#include <string>

namespace taper::bench {

/// Prints a line per sample of each op whose name contains `name_filter`, with the time of a call,
/// the memory bandwidth and the arithmetic throughput.
void time_ops(const std::string& name_filter);

}  // namespace taper::bench
