// The engine of groups of threads in one process.
#pragma once
#include "taper/dist/c_api.h"

namespace taper::distributed {

/// Returns the table of the engine "threads".
const taper_dist_engine& thread_engine();

}  // namespace taper::distributed
