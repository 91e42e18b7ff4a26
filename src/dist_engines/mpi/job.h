// The processes of an MPI job, and groups of them.
#pragma once
#include <memory>

#include "dist_engines/mpi/work.h"
#include "taper/dist/c_api.h"

namespace taper::dist_engines {

/// Name of the implementation for which this file is compiled: "openmpi".
const char* mpi_engine_name();

/// Initializes MPI unless the program has, and stores rank and number of processes. `communicator`
/// is null or a pointer to the MPI_Comm of the program. Throws std::runtime_error if another
/// implementation of MPI started the process.
void join_mpi_job(const void* communicator, int& rank, int& size);

/// Creates a group of processes of the job. Throws std::runtime_error, also if not all of its
/// processes create it within the timeout.
std::shared_ptr<MpiGroup> create_mpi_group(const taper_dist_rendezvous& rendezvous, int size);
/// Frees the communicator of a group without pending operations.
void destroy_mpi_group(MpiGroup& group);

}  // namespace taper::dist_engines
