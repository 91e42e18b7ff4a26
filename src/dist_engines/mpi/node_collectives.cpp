#include "dist_engines/mpi/node_collectives.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "dist/reduction.h"
#include "dist_engines/mpi/node_window.h"

namespace taper::dist_engines {
namespace {

/// Elements of a buffer that the window holds at a time: a share per rank, which that rank reduces.
///
/// A rank stores its elements of the shares of others in its part of the window, and the result of
/// its own share. Each share has its own place, which depends on neither count nor type, so that a
/// rank may begin with further elements while others still read its result.
class NodeChunk {
 public:
  NodeChunk(const MpiGroup& group, std::byte* buffer, std::int64_t count, DType dtype)
      : window_(group.window),
        rank_(group.rank),
        buffer_(buffer),
        dtype_(dtype),
        counts_(divide_evenly(count, group.size)) {}

  /// Maximum number of elements of a chunk.
  static std::int64_t capacity(int size, DType dtype) {
    return static_cast<std::int64_t>(share_bytes(size) / size_of(dtype)) * size;
  }

  // Ranks meet at a barrier between these steps.
  void contribute() const {
    for_each_other([&](int r, std::byte* from, std::size_t bytes) {
      std::memcpy(place(rank_, r), from, bytes);
    });
    window_->synchronize();
  }
  void reduce(taper_dist_op op) const {
    window_->synchronize();
    std::vector<const void*> inputs;
    for (int r = 0; r < size(); ++r) inputs.push_back(r == rank_ ? share(r) : place(r, rank_));
    void* const outputs[] = {share(rank_), place(rank_, rank_)};
    const std::int64_t count = counts_[static_cast<std::size_t>(rank_)];
    distributed::reduce_range({inputs, count, dtype_, op, distributed::ReductionOrder::rank}, 0,
                              count, outputs);
    window_->synchronize();
  }
  void collect() const {
    window_->synchronize();
    for_each_other(
        [&](int r, std::byte* to, std::size_t bytes) { std::memcpy(to, place(r, r), bytes); });
  }

 private:
  static std::size_t share_bytes(int size) {
    constexpr std::size_t kAlignment = 64;
    return NodeWindow::kBytes / static_cast<std::size_t>(size) / kAlignment * kAlignment;
  }
  int size() const { return static_cast<int>(counts_.size()); }
  std::byte* share(int rank) const {
    return element_at(buffer_, offset_of(counts_, static_cast<std::size_t>(rank)), dtype_);
  }
  /// Returns where `rank` stores elements of the share of `owner`.
  std::byte* place(int rank, int owner) const {
    return window_->part(rank) + share_bytes(size()) * static_cast<std::size_t>(owner);
  }
  template <class F> void for_each_other(F f) const {
    for (int r = 0; r < size(); ++r)
      if (r != rank_) f(r, share(r), bytes_of(counts_[static_cast<std::size_t>(r)], dtype_));
  }

  std::shared_ptr<const NodeWindow> window_;
  int rank_;
  std::byte* buffer_;
  DType dtype_;
  Counts counts_;
};

}  // namespace

MpiStages node_all_reduce(const MpiGroup& group, void* buffer, std::int64_t count,
                          MpiReducedElements type) {
  const std::int64_t capacity = NodeChunk::capacity(group.size, type.dtype);
  const MpiWork::Stage barrier = mpi_barrier(group).front();
  MpiStages stages;
  std::optional<NodeChunk> last;
  for (std::int64_t at = 0; at < count; at += capacity) {
    const NodeChunk chunk(group, element_at(buffer, at, type.dtype), std::min(count - at, capacity),
                          type.dtype);
    stages.push_back([last, chunk](MPI_Request*) {
      if (last) last->collect();
      chunk.contribute();
    });
    stages.push_back(barrier);
    stages.push_back([chunk, op = type.op](MPI_Request*) { chunk.reduce(op); });
    stages.push_back(barrier);
    last = chunk;
  }
  stages.push_back([last](MPI_Request*) { last->collect(); });
  return stages;
}

}  // namespace taper::dist_engines
