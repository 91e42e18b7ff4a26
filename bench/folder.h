#pragma once
#include <string>

namespace taper::bench {

/// A folder for files of ours, gone at the end.
const std::string& workplace();
/// The same in memory, where no disk is measured.
const std::string& memory_place();

}  // namespace taper::bench
