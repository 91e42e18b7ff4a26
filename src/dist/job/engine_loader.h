// Loading of the engines, which are shared libraries.
#pragma once
#include <string>
#include <vector>

#include "dist/launch/launch.h"
#include "taper/dist/c_api.h"

namespace taper::distributed {

/// Returns the names of the engines that may carry a job, the preferred one first. `backend` is
/// that of InitOptions. Throws ValueError for an unknown name.
std::vector<std::string> engine_candidates(const std::string& backend, const Launch& launch,
                                           bool has_communicator);

/// Returns the engine in libtaper_dist_<name>.so, which is in the directory of the environment
/// variable TAPER_DIST_ENGINES or, if it is not set, in one of library_folders(). Returns null and
/// stores the reason if it cannot be loaded. It is never closed.
const taper_dist_engine* load_engine(const std::string& name, std::string& problem);

}  // namespace taper::distributed
