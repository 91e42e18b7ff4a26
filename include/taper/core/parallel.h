// Number of threads of the CPU kernels.
#pragma once
#include "taper/core/api.h"

namespace TAPER_API taper {

/// Returns the number of threads that one operation may use, including the calling thread. The
/// default is `OMP_NUM_THREADS` if it is set, otherwise the number of processors of the process's
/// affinity mask, limited by the quota of its control group. PyTorch: torch.get_num_threads.
int get_num_threads() noexcept;

/// Sets the number of threads for the process. Operations that are already running are not
/// affected. Throws ValueError if `count` is less than 1. PyTorch: torch.set_num_threads.
void set_num_threads(int count);

}  // namespace taper
