#pragma once
#include <string>

namespace taper::bench {

/// A folder for files of ours, gone at the end.
const std::string& workplace();

}  // namespace taper::bench
