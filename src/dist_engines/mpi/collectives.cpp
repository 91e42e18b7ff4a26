#include "dist_engines/mpi/collectives.h"

#include <algorithm>
#include <climits>
#include <memory>
#include <stdexcept>

#include "dist/reduction.h"
#include "dist_engines/mpi/node_collectives.h"
#include "dist_engines/mpi/operations.h"

namespace taper::dist_engines {
namespace {

using distributed::ReductionInputs;
using distributed::ReductionOrder;
using Bytes = std::vector<std::byte>;

/// Elements of one request of a long buffer.
constexpr std::int64_t kMaxMpiCount = std::int64_t{1} << 30;

/// Counts and offsets of parts, as MPI expects them. Shared by the copies of a stage, since MPI
/// reads them until the request has completed.
struct MpiParts {
  std::vector<int> counts, offsets;
};

std::shared_ptr<const MpiParts> mpi_parts(const Counts& counts) {
  if (total_of(counts) > INT_MAX)
    throw std::runtime_error("more than 2147483647 elements, which MPI cannot count");
  auto parts = std::make_shared<MpiParts>();
  int offset = 0;
  for (const std::int64_t count : counts) {
    parts->counts.push_back(static_cast<int>(count));
    parts->offsets.push_back(offset);
    offset += static_cast<int>(count);
  }
  return parts;
}

/// Appends a stage for each range of a buffer that one request can transfer.
template <class F> MpiStages split_stages(std::int64_t count, DType dtype, void* buffer, F start) {
  MpiStages stages;
  for (std::int64_t at = 0; at < count; at += kMaxMpiCount) {
    void* const part = element_at(buffer, at, dtype);
    const auto size = static_cast<int>(std::min(count - at, kMaxMpiCount));
    stages.push_back([=](MPI_Request* request) { start(part, size, request); });
  }
  return stages;
}

/// Reduces the part of this rank in the order of the ranks: parts are exchanged, then combined.
MpiStages reduce_own_part_stages(const MpiGroup& group, const void* send, void* part,
                                 const Counts& counts, MpiReducedElements type) {
  const auto own = static_cast<std::size_t>(group.rank);
  const std::int64_t count = counts[own];
  const auto sent = mpi_parts(counts);
  const auto received = mpi_parts(Counts(static_cast<std::size_t>(group.size), count));
  const auto parts = std::make_shared<Bytes>(bytes_of(count * group.size, type.dtype));
  return {[=, comm = group.comm](MPI_Request* request) {
            const MPI_Datatype t = mpi_copy_type(type.dtype);
            check_mpi(
                MPI_Ialltoallv(send, sent->counts.data(), sent->offsets.data(), t, parts->data(),
                               received->counts.data(), received->offsets.data(), t, comm, request),
                "MPI_Ialltoallv");
          },
          [=, size = group.size](MPI_Request*) {
            std::vector<const void*> inputs;
            for (int r = 0; r < size; ++r)
              inputs.push_back(parts->data() + bytes_of(r * count, type.dtype));
            void* const output = part;
            reduce_range(ReductionInputs{inputs, count, type.dtype, type.op, ReductionOrder::rank},
                         0, count, std::span(&output, 1));
          }};
}

/// Stages of a reduction in the order of the ranks. Root -1 stores the result on all ranks.
MpiStages ordered_reduction(const MpiGroup& group, void* buffer, std::int64_t count,
                            MpiReducedElements type, int root) {
  const Counts counts = divide_evenly(count, group.size);
  const auto own = static_cast<std::size_t>(group.rank);
  const auto result = std::make_shared<Bytes>(bytes_of(counts[own], type.dtype));
  MpiStages stages = reduce_own_part_stages(group, buffer, result->data(), counts, type);
  for (auto& stage : mpi_gather(group, result->data(), buffer, counts, type.dtype, root))
    stages.push_back([stage = std::move(stage), result](MPI_Request* request) { stage(request); });
  return stages;
}

}  // namespace

MpiStages mpi_all_reduce(const MpiGroup& group, void* buffer, std::int64_t count,
                         MpiReducedElements type) {
  if (group.window && bytes_of(count, type.dtype) >= kMinNodeBytes)
    return node_all_reduce(group, buffer, count, type);
  if (group.is_deterministic && count > 0) return ordered_reduction(group, buffer, count, type, -1);
  return split_stages(
      count, type.dtype, buffer, [=, comm = group.comm](void* part, int n, MPI_Request* request) {
        const auto [t, op] = mpi_reduction(type.dtype, type.op);
        check_mpi(MPI_Iallreduce(MPI_IN_PLACE, part, n, t, op, comm, request), "MPI_Iallreduce");
      });
}

MpiStages mpi_reduce(const MpiGroup& group, void* buffer, std::int64_t count,
                     MpiReducedElements type, int root) {
  if (group.is_deterministic && count > 0)
    return ordered_reduction(group, buffer, count, type, root);
  const bool is_root = group.rank == root;
  return split_stages(
      count, type.dtype, buffer, [=, comm = group.comm](void* part, int n, MPI_Request* request) {
        const auto [t, op] = mpi_reduction(type.dtype, type.op);
        check_mpi(MPI_Ireduce(is_root ? MPI_IN_PLACE : part, is_root ? part : nullptr, n, t, op,
                              root, comm, request),
                  "MPI_Ireduce");
      });
}

MpiStages mpi_reduce_scatter(const MpiGroup& group, const void* send, void* receive,
                             const Counts& counts, MpiReducedElements type) {
  if (total_of(counts) == 0) return {};
  if (group.is_deterministic) return reduce_own_part_stages(group, send, receive, counts, type);
  const auto parts = mpi_parts(counts);
  return {[=, comm = group.comm](MPI_Request* request) {
    const auto [t, op] = mpi_reduction(type.dtype, type.op);
    check_mpi(MPI_Ireduce_scatter(send, receive, parts->counts.data(), t, op, comm, request),
              "MPI_Ireduce_scatter");
  }};
}

MpiStages mpi_broadcast(const MpiGroup& group, void* buffer, std::int64_t count, DType dtype,
                        int root) {
  return split_stages(
      count, dtype, buffer, [=, comm = group.comm](void* part, int n, MPI_Request* request) {
        check_mpi(MPI_Ibcast(part, n, mpi_copy_type(dtype), root, comm, request), "MPI_Ibcast");
      });
}

MpiStages mpi_gather(const MpiGroup& group, const void* send, void* receive, const Counts& counts,
                     DType dtype, int root) {
  const auto parts = mpi_parts(counts);
  const int own = parts->counts[static_cast<std::size_t>(group.rank)];
  return {[=, comm = group.comm](MPI_Request* request) {
    const MPI_Datatype t = mpi_copy_type(dtype);
    if (root < 0)
      check_mpi(MPI_Iallgatherv(send, own, t, receive, parts->counts.data(), parts->offsets.data(),
                                t, comm, request),
                "MPI_Iallgatherv");
    else
      check_mpi(MPI_Igatherv(send, own, t, receive, parts->counts.data(), parts->offsets.data(), t,
                             root, comm, request),
                "MPI_Igatherv");
  }};
}

MpiStages mpi_scatter(const MpiGroup& group, const void* send, void* receive, const Counts& counts,
                      DType dtype, int root) {
  const auto parts = mpi_parts(counts);
  const int own = parts->counts[static_cast<std::size_t>(group.rank)];
  return {[=, comm = group.comm](MPI_Request* request) {
    const MPI_Datatype t = mpi_copy_type(dtype);
    check_mpi(MPI_Iscatterv(send, parts->counts.data(), parts->offsets.data(), t, receive, own, t,
                            root, comm, request),
              "MPI_Iscatterv");
  }};
}

MpiStages mpi_all_to_all(const MpiGroup& group, const void* send, const Counts& send_counts,
                         void* receive, const Counts& receive_counts, DType dtype) {
  const auto sent = mpi_parts(send_counts), received = mpi_parts(receive_counts);
  return {[=, comm = group.comm](MPI_Request* request) {
    const MPI_Datatype t = mpi_copy_type(dtype);
    check_mpi(MPI_Ialltoallv(send, sent->counts.data(), sent->offsets.data(), t, receive,
                             received->counts.data(), received->offsets.data(), t, comm, request),
              "MPI_Ialltoallv");
  }};
}

MpiStages mpi_barrier(const MpiGroup& group) {
  return {[comm = group.comm](MPI_Request* request) {
    check_mpi(MPI_Ibarrier(comm, request), "MPI_Ibarrier");
  }};
}

}  // namespace taper::dist_engines
