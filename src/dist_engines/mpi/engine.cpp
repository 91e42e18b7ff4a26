// The engines "openmpi" and "mpich": one source, compiled for each implementation of MPI.
#include <algorithm>

#include "dist_engines/common/failure.h"
#include "dist_engines/mpi/call_thread.h"
#include "dist_engines/mpi/collectives.h"
#include "dist_engines/mpi/job.h"
#include "dist_engines/mpi/operations.h"

using taper::dist_engines::MpiGroup;
using taper::dist_engines::MpiWork;

struct taper_dist_group {
  std::shared_ptr<MpiGroup> mpi;
};

struct taper_dist_work {
  std::unique_ptr<MpiWork> mpi;
  bool is_receive = false;
  std::int64_t expected = 0;              ///< elements of a receive
  taper::DType dtype = taper::DType::u8;  ///< of a message
  std::string missing{};                  ///< what a pending message waits for
};

namespace taper::dist_engines {
namespace {

DType dtype_from(taper_dtype dtype) { return static_cast<DType>(dtype); }

Counts counts_of(const taper_dist_group* group, const std::int64_t* counts) {
  return {counts, counts + group->mpi->size};
}

/// Starts the stages that `make` returns.
template <class F>
taper_dist_status start_stages(taper_dist_group* group, taper_dist_work** work, F&& make) {
  return report_status([&] {
    *work = new taper_dist_work{
        std::make_unique<MpiWork>(group->mpi, make(*group->mpi), MpiWork::Kind::collective)};
    return TAPER_DIST_OK;
  });
}

std::int64_t largest_tag() {
  void* bound = nullptr;
  int has_bound = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &has_bound);
  return has_bound ? *static_cast<int*>(bound) : 32767;
}

/// Starts a message. Its count must fit the int of MPI.
taper_dist_status start_message(taper_dist_group* group, bool is_send, void* buffer,
                                std::int64_t count, DType dtype, int peer, int tag,
                                taper_dist_work** work) {
  return report_status([&] {
    if (count > INT32_MAX)
      throw std::runtime_error("more than 2147483647 elements, which MPI cannot count");
    if (tag < 0 || tag > MpiCalls::get().run(largest_tag))
      throw std::runtime_error("tag " + std::to_string(tag) + " is not possible with MPI");
    const auto n = static_cast<int>(count);
    const MpiWork::Stage stage = [=, comm = group->mpi->comm](MPI_Request* request) {
      const MPI_Datatype t = mpi_copy_type(dtype);
      if (is_send)
        check_mpi(MPI_Isend(buffer, n, t, peer, tag, comm, request), "MPI_Isend");
      else
        check_mpi(MPI_Irecv(buffer, n, t, peer < 0 ? MPI_ANY_SOURCE : peer, tag, comm, request),
                  "MPI_Irecv");
    };
    const std::string other = "rank " + std::to_string(peer);
    *work = new taper_dist_work{
        .mpi = std::make_unique<MpiWork>(group->mpi, MpiStages{stage}, MpiWork::Kind::message),
        .is_receive = !is_send,
        .expected = count,
        .dtype = dtype,
        .missing = is_send    ? other + " has not received it"
                   : peer < 0 ? "no rank has sent it"
                              : other + " has not sent it"};
    return TAPER_DIST_OK;
  });
}

/// Throws if a message had another size than expected.
void check_received_count(const taper_dist_work& work) {
  int count = 0;
  MpiCalls::get().run(
      [&] { return MPI_Get_count(&work.mpi->status(), mpi_copy_type(work.dtype), &count); });
  if (count != work.expected)
    throw std::runtime_error(
        "mismatch: rank " + std::to_string(work.mpi->status().MPI_SOURCE) + " sent " +
        (count == MPI_UNDEFINED ? "another number of" : std::to_string(count)) +
        " elements, expected " + std::to_string(work.expected));
}

const taper_dist_engine& mpi_engine() {
  static const taper_dist_engine engine = {
      .version = TAPER_DIST_ABI_VERSION,
      .name = mpi_engine_name(),
      .join =
          [](const void* communicator, int* rank, int* size) {
            return report_status([&] {
              join_mpi_job(communicator, *rank, *size);
              return TAPER_DIST_OK;
            });
          },
      .create =
          [](const taper_dist_rendezvous* rendezvous, int, int size, taper_dist_group** group) {
            return report_status([&] {
              *group = new taper_dist_group{create_mpi_group(*rendezvous, size)};
              return TAPER_DIST_OK;
            });
          },
      .destroy =
          [](taper_dist_group* group) {
            destroy_mpi_group(*group->mpi);
            delete group;
          },
      .all_reduce =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype,
             taper_dist_op op, taper_dist_work** work) {
            return start_stages(group, work, [&](const MpiGroup& g) {
              return mpi_all_reduce(g, buffer, count, {dtype_from(dtype), op});
            });
          },
      .reduce =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype,
             taper_dist_op op, int root, taper_dist_work** work) {
            return start_stages(group, work, [&](const MpiGroup& g) {
              return mpi_reduce(g, buffer, count, {dtype_from(dtype), op}, root);
            });
          },
      .reduce_scatter =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, taper_dist_op op, taper_dist_work** work) {
            return start_stages(group, work, [&](const MpiGroup& g) {
              return mpi_reduce_scatter(g, send, receive, counts_of(group, counts),
                                        {dtype_from(dtype), op});
            });
          },
      .broadcast =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype, int root,
             taper_dist_work** work) {
            return start_stages(group, work, [&](const MpiGroup& g) {
              return mpi_broadcast(g, buffer, count, dtype_from(dtype), root);
            });
          },
      .all_gather =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, taper_dist_work** work) {
            return start_stages(group, work, [&](const MpiGroup& g) {
              return mpi_gather(g, send, receive, counts_of(group, counts), dtype_from(dtype), -1);
            });
          },
      .gather =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, int root, taper_dist_work** work) {
            return start_stages(group, work, [&](const MpiGroup& g) {
              return mpi_gather(g, send, receive, counts_of(group, counts), dtype_from(dtype),
                                root);
            });
          },
      .scatter =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, int root, taper_dist_work** work) {
            return start_stages(group, work, [&](const MpiGroup& g) {
              return mpi_scatter(g, send, receive, counts_of(group, counts), dtype_from(dtype),
                                 root);
            });
          },
      .all_to_all =
          [](taper_dist_group* group, const void* send, const int64_t* send_counts, void* receive,
             const int64_t* receive_counts, taper_dtype dtype, taper_dist_work** work) {
            return start_stages(group, work, [&](const MpiGroup& g) {
              return mpi_all_to_all(g, send, counts_of(group, send_counts), receive,
                                    counts_of(group, receive_counts), dtype_from(dtype));
            });
          },
      .barrier =
          [](taper_dist_group* group, taper_dist_work** work) {
            return start_stages(group, work, [](const MpiGroup& g) { return mpi_barrier(g); });
          },
      .send =
          [](taper_dist_group* group, const void* buffer, int64_t count, taper_dtype dtype,
             int peer, int tag, taper_dist_work** work) {
            return start_message(group, true, const_cast<void*>(buffer), count, dtype_from(dtype),
                                 peer, tag, work);
          },
      .receive =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype, int peer,
             int tag, taper_dist_work** work) {
            return start_message(group, false, buffer, count, dtype_from(dtype), peer, tag, work);
          },
      .wait =
          [](taper_dist_work* work, double seconds) {
            return report_status([&] {
              if (!work->mpi->wait(seconds)) return TAPER_DIST_TIMED_OUT;
              if (work->is_receive) check_received_count(*work);
              return TAPER_DIST_OK;
            });
          },
      .source =
          [](const taper_dist_work* work) {
            return work->is_receive && work->mpi->is_done() ? work->mpi->status().MPI_SOURCE : -1;
          },
      .times = nullptr,  // MPI proceeds within its calls
      .release = [](taper_dist_work* work) { delete work; },
      .abort = [](taper_dist_group* group, const char* reason) { group->mpi->abort(reason); },
      .pending =
          [](taper_dist_work* work) {
            engine_text() = work->missing;
            return engine_text().c_str();
          },
      .explain = []() { return engine_text().c_str(); },
  };
  return engine;
}

}  // namespace
}  // namespace taper::dist_engines

extern "C" [[gnu::visibility("default")]] const taper_dist_engine* taper_dist_engine_table() {
  return &taper::dist_engines::mpi_engine();
}
