// Suggestions for misspelled names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace taper::nn {

/// Returns the name that is the most similar to `wanted`; null if none is similar.
const std::string* nearest_name(std::string_view wanted, const std::vector<std::string>& names);

/// Returns a line break and "  no submodule 'layer1.cnv1': did you mean 'layer1.conv1'?", where
/// `what` is "submodule" and `wanted` is the unknown name. Returns an empty string if no name is
/// similar.
std::string did_you_mean(std::string_view what, std::string_view wanted,
                         const std::vector<std::string>& names);

}  // namespace taper::nn
