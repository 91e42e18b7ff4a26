#pragma once
#include <string>

namespace taper::bench {

/// Returns a temporary directory, removed at exit.
const std::string& temp_folder();
/// Returns a temporary directory in memory (tmpfs), for benchmarks that must not depend on a disk.
const std::string& memory_folder();

}  // namespace taper::bench
