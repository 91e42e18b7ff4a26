#include "dist_engines/mpi/job.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "dist_engines/common/signature_hash.h"
#include "dist_engines/mpi/call_thread.h"
#include "dist_engines/mpi/node_window.h"
#include "dist_engines/mpi/operations.h"

namespace taper::dist_engines {
namespace {

/// Communicator of all processes, a copy of that of the program or of MPI_COMM_WORLD.
MPI_Comm job_comm = MPI_COMM_NULL;
/// Memory that all processes share; null on several nodes.
std::shared_ptr<const NodeWindow> job_window;
/// The group of all processes that uses job_window.
std::weak_ptr<const MpiGroup> window_user;

#ifdef OPEN_MPI
constexpr bool kIsOpenMpi = true;
constexpr char kImplementation[] = "Open MPI";
#else
constexpr bool kIsOpenMpi = false;
constexpr char kImplementation[] = "MPICH";
#endif

bool has_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value && *value;
}

/// An implementation does not find the processes that another one started: each would be alone.
void check_launcher() {
  const bool by_open_mpi = has_variable("OMPI_COMM_WORLD_SIZE") || has_variable("PMIX_RANK");
  const bool by_pmi = has_variable("PMI_SIZE") || has_variable("PMI_RANK");
  if (kIsOpenMpi && by_pmi && !by_open_mpi)
    throw std::runtime_error(
        "it was built for Open MPI, but PMI_SIZE is set, which MPICH's mpirun does; use Open MPI's "
        "mpirun or the engine 'mpich'");
  if (!kIsOpenMpi && has_variable("OMPI_COMM_WORLD_SIZE"))
    throw std::runtime_error(
        "it was built for MPICH, but OMPI_COMM_WORLD_SIZE is set, which Open MPI's mpirun does; "
        "use "
        "MPICH's mpirun or the engine 'openmpi'");
}

/// The functions of MPI are those of the library that the program links, if it links one.
void check_implementation() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int size = 0;
  MPI_Get_library_version(text, &size);
  if (std::string_view(text).starts_with("Open MPI") == kIsOpenMpi) return;
  throw std::runtime_error(std::string("it was built for ") + kImplementation +
                           ", but the program uses another implementation of MPI");
}

void check_communicator_owner() {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (!is_initialized)
    throw std::runtime_error(std::string("a communicator was passed, but the program has not "
                                         "initialized ") +
                             kImplementation);
}

/// Runs a function that may throw by MpiCalls.
template <class F> void run_mpi(F&& f) {
  const std::string error = MpiCalls::get().run([&]() -> std::string {
    try {
      f();
      return "";
    } catch (const std::exception& e) { return e.what(); }
  });
  if (!error.empty()) throw std::runtime_error(error);
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g s", seconds);
  return text;
}

/// Waits for a work of the creation of a group of all ranks.
void wait_for_all_ranks(MpiWork& work, double timeout) {
  if (work.wait(timeout)) return;
  throw std::runtime_error("not all ranks have created the group within " + seconds_text(timeout));
}

MPI_Comm copy_of_job(double timeout) {
  MPI_Comm comm = MPI_COMM_NULL;
  const auto job = std::make_shared<MpiGroup>();
  MpiWork copy(job, {[&](MPI_Request* request) {
                 check_mpi(MPI_Comm_idup(job_comm, &comm, request), "MPI_Comm_idup");
               }},
               MpiWork::Kind::collective);
  wait_for_all_ranks(copy, timeout);
  return comm;
}

/// Waits until all members of a group call this function: they send a message to the first member,
/// which responds. Throws std::runtime_error that names a missing rank after the timeout.
void wait_for_members(const taper_dist_rendezvous& rendezvous, int size, int tag) {
  int own = 0;
  run_mpi([&] { check_mpi(MPI_Comm_rank(job_comm, &own), "MPI_Comm_rank"); });
  int awaited = own;
  const auto send_to = [&](int rank) {
    return [tag, rank](MPI_Request* request) {
      check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, rank, tag, job_comm, request), "MPI_Isend");
    };
  };
  const auto receive_from = [&](int rank) {
    return [tag, rank, &awaited](MPI_Request* request) {
      awaited = rank;
      check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, rank, tag, job_comm, request), "MPI_Irecv");
    };
  };
  const std::int32_t first = rendezvous.ranks[0];
  std::vector<MpiWork::Stage> stages;
  if (own != first) {
    stages.emplace_back(send_to(first));
    stages.emplace_back(receive_from(first));
  } else {
    for (int i = 1; i < size; ++i) stages.emplace_back(receive_from(rendezvous.ranks[i]));
    for (int i = 1; i < size; ++i) stages.emplace_back(send_to(rendezvous.ranks[i]));
  }
  MpiWork meeting(std::make_shared<MpiGroup>(), std::move(stages), MpiWork::Kind::message);
  if (meeting.wait(rendezvous.timeout)) return;
  throw std::runtime_error("rank " + std::to_string(awaited) +
                           (own == first ? " has not created the group within "
                                         : " or another rank has not created the group within ") +
                           seconds_text(rendezvous.timeout));
}

MPI_Comm part_of_job(const taper_dist_rendezvous& rendezvous, int size) {
  SignatureHash hash;
  for (const char* c = rendezvous.key; *c; ++c) hash.add(*c);
  // Tags up to 32767 exist everywhere.
  const auto tag = static_cast<int>(hash.value() % 32768);
  // MPI creates groups by blocking calls, which are made when no rank is missing.
  wait_for_members(rendezvous, size, tag);
  MPI_Comm comm = MPI_COMM_NULL;
  run_mpi([&] {
    MPI_Group all = MPI_GROUP_NULL, part = MPI_GROUP_NULL;
    check_mpi(MPI_Comm_group(job_comm, &all), "MPI_Comm_group");
    check_mpi(MPI_Group_incl(all, size, rendezvous.ranks, &part), "MPI_Group_incl");
    const int code = MPI_Comm_create_group(job_comm, part, tag, &comm);
    MPI_Group_free(&part), MPI_Group_free(&all);
    check_mpi(code, "MPI_Comm_create_group");
  });
  return comm;
}

/// Lets a group of all processes use their window unless another one does, on any rank.
void assign_window(const std::shared_ptr<MpiGroup>& group, double timeout) {
  if (!job_window) return;
  int is_free = window_user.expired(), is_free_everywhere = 0;
  MpiWork agreement(group, {[&](MPI_Request* request) {
                      check_mpi(MPI_Iallreduce(&is_free, &is_free_everywhere, 1, MPI_INT, MPI_MIN,
                                               group->comm, request),
                                "MPI_Iallreduce");
                    }},
                    MpiWork::Kind::collective);
  wait_for_all_ranks(agreement, timeout);
  if (!is_free_everywhere) return;
  group->window = job_window;
  window_user = group;
}

}  // namespace

const char* mpi_engine_name() { return kIsOpenMpi ? "openmpi" : "mpich"; }

void join_mpi_job(const void* communicator, int& rank, int& size) {
  check_implementation();
  if (communicator)
    check_communicator_owner();
  else
    check_launcher();
  MpiCalls::get().initialize();
  run_mpi([&] {
    const MPI_Comm source =
        communicator ? *static_cast<const MPI_Comm*>(communicator) : MPI_COMM_WORLD;
    if (communicator || job_comm == MPI_COMM_NULL) {
      check_mpi(MPI_Comm_dup(source, &job_comm), "MPI_Comm_dup");
      check_mpi(MPI_Comm_set_errhandler(job_comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
      job_window = NodeWindow::create(job_comm);
      window_user.reset();
    }
    check_mpi(MPI_Comm_rank(job_comm, &rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(job_comm, &size), "MPI_Comm_size");
  });
}

std::shared_ptr<MpiGroup> create_mpi_group(const taper_dist_rendezvous& rendezvous, int size) {
  MpiCalls::get().check_usable();
  int job_size = 0;
  run_mpi([&] { check_mpi(MPI_Comm_size(job_comm, &job_size), "MPI_Comm_size"); });
  auto group = std::make_shared<MpiGroup>();
  group->comm = size == job_size ? copy_of_job(rendezvous.timeout) : part_of_job(rendezvous, size);
  group->is_deterministic = rendezvous.deterministic != 0;
  run_mpi([&] {
    check_mpi(MPI_Comm_set_errhandler(group->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(group->comm, &group->rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(group->comm, &group->size), "MPI_Comm_size");
  });
  if (size == job_size) assign_window(group, rendezvous.timeout);
  return group;
}

void destroy_mpi_group(MpiGroup& group) {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (is_finalized || group.is_aborted() || group.comm == MPI_COMM_NULL) return;
  try {
    MpiCalls::get().check_usable();
    run_mpi([&] { check_mpi(MPI_Comm_free(&group.comm), "MPI_Comm_free"); });
  } catch (const std::exception&) {}  // the process ends soon
}

}  // namespace taper::dist_engines
