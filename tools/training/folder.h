// Directory listing.
#pragma once
#include <string>
#include <vector>

namespace training {

/// Returns the sorted names of the entries of a directory. Throws taper::IoError with its path if
/// it cannot be read.
std::vector<std::string> list_folder(const std::string& folder);

}  // namespace training
