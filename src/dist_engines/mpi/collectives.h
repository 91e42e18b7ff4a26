// Collectives of MPI on raw buffers, as the stages of works.
#pragma once
#include "dist_engines/common/element_ranges.h"
#include "dist_engines/mpi/work.h"
#include "taper/dist/c_api.h"

namespace taper::dist_engines {

using MpiStages = std::vector<MpiWork::Stage>;

/// Elements of a reduction.
struct MpiReducedElements {
  DType dtype;
  taper_dist_op op;
};

// Arguments are those of the functions of taper/dist/c_api.h. Functions throw std::runtime_error if
// a count does not fit the int of MPI.
MpiStages mpi_all_reduce(const MpiGroup& group, void* buffer, std::int64_t count,
                         MpiReducedElements type);
MpiStages mpi_reduce(const MpiGroup& group, void* buffer, std::int64_t count,
                     MpiReducedElements type, int root);
MpiStages mpi_reduce_scatter(const MpiGroup& group, const void* send, void* receive,
                             const Counts& counts, MpiReducedElements type);
MpiStages mpi_broadcast(const MpiGroup& group, void* buffer, std::int64_t count, DType dtype,
                        int root);
/// Root -1 stores the result on all ranks.
MpiStages mpi_gather(const MpiGroup& group, const void* send, void* receive, const Counts& counts,
                     DType dtype, int root);
MpiStages mpi_scatter(const MpiGroup& group, const void* send, void* receive, const Counts& counts,
                      DType dtype, int root);
MpiStages mpi_all_to_all(const MpiGroup& group, const void* send, const Counts& send_counts,
                         void* receive, const Counts& receive_counts, DType dtype);
MpiStages mpi_barrier(const MpiGroup& group);

}  // namespace taper::dist_engines
