#pragma once
#include <string>

namespace taper::nn {

/// Every line after the first moved in by two.
std::string indented(const std::string& text);

}  // namespace taper::nn
