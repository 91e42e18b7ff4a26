// A program that has initialized MPI itself: each half of its processes is a job.
#include <mpi.h>

#include <iostream>

#include "taper/core/factory.h"
#include "taper/dist/dist.h"

namespace {

using namespace taper;

/// Returns true if a sum over the ranks of the communicator is right.
bool sums_over(const MPI_Comm& comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  distributed::init_process_group({.communicator = &comm});
  const Tensor x = full({3}, static_cast<float>(rank));
  distributed::all_reduce(x);
  const bool is_right = distributed::get_rank() == rank && distributed::get_world_size() == size &&
                        distributed::get_backend() == "mpi" &&
                        equal(x, full({3}, static_cast<float>(size * (size - 1) / 2)));
  distributed::destroy_process_group();
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  bool is_right = false;
  try {
    is_right = sums_over(half) && sums_over(MPI_COMM_WORLD);
  } catch (const std::exception& error) { std::cerr << error.what() << '\n'; }
  if (!is_right) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
