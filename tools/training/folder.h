// What a folder holds.
#pragma once
#include <string>
#include <vector>

namespace training {

/// The names in a folder, sorted. Throws taper::IoError that names the folder.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace training
