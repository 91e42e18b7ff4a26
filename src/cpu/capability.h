// Limit of the instruction set of the kernels.
#pragma once

namespace taper::cpu {

/// Applies TAPER_CPU_CAPABILITY to the vector kernels; must run before the first of them. Returns
/// true if it excludes an instruction set.
bool apply_capability_limit();
/// Returns true if TAPER_CPU_CAPABILITY excludes an instruction set, also one that the processor
/// does not have. Libraries that select their instruction set themselves must not be used then.
bool is_capability_limited();

}  // namespace taper::cpu
