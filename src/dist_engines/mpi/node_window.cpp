#include "dist_engines/mpi/node_window.h"

#include "dist_engines/mpi/operations.h"

namespace taper::dist_engines {
namespace {

/// Releases a window before MPI is finalized, which is when MPI deletes attributes of
/// MPI_COMM_SELF: windows are released collectively, and ranks may release groups at any time.
int release_window(MPI_Comm, int key, void* window, void*) {
  auto* const owned = static_cast<MPI_Win*>(window);
  MPI_Win_unlock_all(*owned);
  MPI_Win_free(owned);
  delete owned;
  return MPI_Comm_free_keyval(&key);
}

void release_at_end(MPI_Win window) {
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release_window, &key, nullptr),
            "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, new MPI_Win(window)), "MPI_Comm_set_attr");
}

/// Returns true if the argument is true on all ranks.
bool all_ranks(bool value, MPI_Comm comm) {
  int own = value, all = 0;
  check_mpi(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return all != 0;
}

}  // namespace

std::shared_ptr<const NodeWindow> NodeWindow::create(MPI_Comm comm) {
  int size = 0, node_size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_size(node, &node_size), "MPI_Comm_size");
  std::shared_ptr<const NodeWindow> result;
  if (all_ranks(node_size == size && size > 1 && size <= kMaxRanks, comm)) {
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    MPI_Win window = MPI_WIN_NULL;
    void* memory = nullptr;
    const int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(kBytes), 1, MPI_INFO_NULL, node,
                                             &memory, &window);
    if (all_ranks(code == MPI_SUCCESS, comm)) {
      check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
      release_at_end(window);
      result.reset(new NodeWindow(window, size));
    }
  }
  MPI_Comm_free(&node);
  return result;
}

NodeWindow::NodeWindow(MPI_Win window, int size) : window_(window) {
  for (int rank = 0; rank < size; ++rank) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* memory = nullptr;
    check_mpi(MPI_Win_shared_query(window, rank, &bytes, &unit, &memory), "MPI_Win_shared_query");
    parts_.push_back(static_cast<std::byte*>(memory));
  }
}

void NodeWindow::synchronize() const { check_mpi(MPI_Win_sync(window_), "MPI_Win_sync"); }

}  // namespace taper::dist_engines
