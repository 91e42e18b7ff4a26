#pragma once
#include <string>

namespace taper::bench {

/// A line for each test row of each op whose name contains `part`: what a call takes, and the
/// memory and arithmetic that went by in that time.
void time_ops(const std::string& part);

}  // namespace taper::bench
