// How many threads the kernels of the CPU may use.
#pragma once
#include "taper/core/api.h"

namespace TAPER_API taper {

/// The number of threads one operation may use, the calling thread included. Until it is set it is
/// what the environment allows (`OMP_NUM_THREADS`, else the processors this process may run on).
/// PyTorch: `torch.get_num_threads`.
int get_num_threads() noexcept;

/// Sets the number of threads for the whole process. Throws ValueError when `count` is below one.
/// An operation that is already running keeps the number it started with.
/// PyTorch: `torch.set_num_threads`.
void set_num_threads(int count);

}  // namespace taper
