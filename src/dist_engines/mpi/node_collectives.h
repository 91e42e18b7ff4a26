// Collectives of ranks on one node, through the memory that they share.
#pragma once
#include "dist_engines/mpi/collectives.h"

namespace taper::dist_engines {

/// Bytes from which these collectives are faster than those of MPI.
constexpr std::size_t kMinNodeBytes = std::size_t{1} << 17;

/// As mpi_all_reduce, for a group with a window. Ranks are combined in ascending order.
MpiStages node_all_reduce(const MpiGroup& group, void* buffer, std::int64_t count,
                          MpiReducedElements type);

}  // namespace taper::dist_engines
