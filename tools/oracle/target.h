// Selection of the instruction set of the vector kernels.
#pragma once
#include <string>

namespace taper::oracle {

/// Makes all vector kernels use the instruction set that Highway calls `name`, such as "AVX2" or
/// "EMU128". Throws std::invalid_argument with the supported ones if it is not among them.
void select_target(const std::string& name);

}  // namespace taper::oracle
