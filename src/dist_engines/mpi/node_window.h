// NodeWindow: memory that the processes of a job share if they run on one node.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace taper::dist_engines {

/// A part of kBytes per rank, which every rank reads and writes.
class NodeWindow {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  static constexpr int kMaxRanks = 256;

  /// Collective. Returns null on all ranks if they run on several nodes, are more than kMaxRanks,
  /// or if MPI has no memory for them to share. The memory is released when MPI is finalized.
  static std::shared_ptr<const NodeWindow> create(MPI_Comm comm);

  std::byte* part(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }
  /// Orders accesses of this rank before the call, and of others before a barrier, before the
  /// accesses that follow.
  void synchronize() const;

 private:
  NodeWindow(MPI_Win window, int size);

  MPI_Win window_;
  std::vector<std::byte*> parts_{};
};

}  // namespace taper::dist_engines
