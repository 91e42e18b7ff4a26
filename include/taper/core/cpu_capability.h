// Instruction set of the CPU kernels.
#pragma once
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Returns the instruction set that the vector kernels use: "AVX512", "AVX2", or "DEFAULT" for the
/// one that all supported processors have. It is the best one of the processor, unless the
/// environment variable TAPER_CPU_CAPABILITY limits it when the program starts: to "avx2", so that
/// processors with and without AVX-512 compute the same bits, or to "default". Another value causes
/// a warning and has no effect. PyTorch: torch.backends.cpu.get_cpu_capability, and
/// ATEN_CPU_CAPABILITY.
std::string_view get_cpu_capability();

}  // namespace taper
