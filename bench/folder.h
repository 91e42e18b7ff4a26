#pragma once
#include <string>

namespace taper::bench {

/// Returns a temporary directory, removed at exit.
const std::string& workplace();
/// Returns a temporary directory in memory (tmpfs), for benchmarks that must not depend on a disk.
const std::string& memory_place();

}  // namespace taper::bench
