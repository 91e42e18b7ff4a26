// Limit of the instruction set of the kernels.
#pragma once

namespace taper::cpu {

/// Applies TAPER_CPU_CAPABILITY to the vector kernels; must run before the first of them. Returns
/// true.
bool apply_capability_limit();

}  // namespace taper::cpu
