// Suggestions for misspelled names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace taper::nn {

/// Returns "
///   no submodule 'layer1.cnv1': did you mean 'layer1.conv1'?", or an empty string if no name is
///   similar.
std::string did_you_mean(std::string_view what, std::string_view wanted,
                         const std::vector<std::string>& names);

}  // namespace taper::nn
