#pragma once
#include <string>

namespace taper::nn {

/// Indents every line after the first by two spaces.
std::string indent_continuation_lines(const std::string& text);

}  // namespace taper::nn
