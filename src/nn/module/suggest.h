// Names that were perhaps meant.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace taper::nn {

/// "\n  no submodule 'layer1.cnv1': did you mean 'layer1.conv1'?", or nothing where no name is
/// near.
std::string did_you_mean(std::string_view what, std::string_view wanted,
                         const std::vector<std::string>& names);

}  // namespace taper::nn
