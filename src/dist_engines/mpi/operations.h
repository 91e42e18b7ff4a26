// Data types and reductions of MPI.
#pragma once
#include <mpi.h>

#include <string>

#include "taper/core/dtype.h"
#include "taper/dist/c_api.h"

namespace taper::dist_engines {

/// Throws std::runtime_error with the text of MPI unless `code` is success.
void check_mpi(int code, const char* call);

/// Returns the type of MPI whose elements are copied like those of `dtype`.
MPI_Datatype mpi_copy_type(DType dtype);

/// Data type and operation of a reduction.
struct MpiReduction {
  MPI_Datatype type;
  MPI_Op op;
};
/// Returns MPI's own operation if it has one with the same result. Otherwise, for types of 8 and 16
/// bits and for the minimum and maximum of floats, where NaN propagates, returns an operation of
/// Taper's.
MpiReduction mpi_reduction(DType dtype, taper_dist_op op);

}  // namespace taper::dist_engines
