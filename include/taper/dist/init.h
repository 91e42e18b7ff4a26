// Initialization of the default process group, and groups of some of its ranks.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/dist/process_group.h"

namespace TAPER_API taper {
namespace distributed {

/// Options of init_process_group.
struct InitOptions {
  /// Engine that executes the collectives: "threads" (ranks are threads of this process, see
  /// spawn_threads), "gloo" or "mpi". Default: "mpi" if mpirun started the process, otherwise
  /// "gloo".
  std::string backend{};
  Timeout timeout =
      std::chrono::minutes(30);  ///< timeout of collectives, and of finding the other ranks
  bool deterministic = false;    ///< see GroupOptions
  /// Pointer to the MPI_Comm of the ranks, in a program that has initialized MPI. It is duplicated.
  const void* communicator = nullptr;
};
/// Creates the default group of the calling rank. In a function run by `spawn_threads` its ranks
/// are the threads. Otherwise they are the processes that torchrun, `taper run`, mpirun or srun has
/// started, according to their environment variables; without a launcher, this process only.
///
/// Gloo finds the other ranks at MASTER_ADDR and MASTER_PORT, where rank 0 listens (at MASTER_PORT
/// + 1 if the agent of torchrun does), or at the `host:port` of TAPER_RENDEZVOUS. Engines are
/// shared libraries beside the program or library, in lib/taper or in the directory
/// TAPER_DIST_ENGINES.
///
/// Throws RuntimeError if the group exists; ValueError for an unknown backend and for incomplete or
/// contradictory variables; DistributedError if there is no engine or a rank cannot be reached.
/// PyTorch: torch.distributed.init_process_group.
void init_process_group(const InitOptions& options = {});
/// Destroys the default group and all other groups of the calling rank; calls that need them throw
/// afterward. Collectives that have not completed fail on all ranks. With an argument, destroys
/// that group only. Throws ValueError if the group does not exist. PyTorch:
/// torch.distributed.destroy_process_group.
void destroy_process_group(const Group& group = nullptr);
/// Returns true if the default group exists. PyTorch: torch.distributed.is_initialized.
bool is_initialized();
/// Returns true if process groups are available, which is always the case.
/// PyTorch: torch.distributed.is_available.
constexpr bool is_available() { return true; }
/// Returns the default group. Throws ValueError if it does not exist.
/// PyTorch: torch.distributed.group.WORLD.
const Group& default_group();

/// Returns the rank of the caller in the group; -1 if it is not a member. Throws ValueError if the
/// default group does not exist. PyTorch: torch.distributed.get_rank.
int get_rank(const Group& group = nullptr);
/// Returns the number of ranks; -1 if the caller is not a member. Throws ValueError if the default
/// group does not exist. PyTorch: torch.distributed.get_world_size.
int get_world_size(const Group& group = nullptr);
/// Returns the name of the engine: "threads", "gloo" or "mpi". PyTorch:
/// torch.distributed.get_backend.
std::string get_backend();
/// Returns the rank of the process among those of its machine, as reported by the launcher. Without
/// one it is 0; if the launcher does not report it, `fallback_rank`. Throws RuntimeError if that is
/// absent, too. PyTorch: torch.distributed.get_node_local_rank.
int get_node_local_rank(std::optional<int> fallback_rank = {});
/// Returns the global ranks of the members in ascending order.
/// PyTorch: torch.distributed.get_process_group_ranks.
std::vector<int> get_process_group_ranks(const Group& group = nullptr);
/// Converts between global ranks and ranks of a group. Throw ValueError if the rank is not a
/// member. PyTorch: torch.distributed.get_global_rank, torch.distributed.get_group_rank.
int get_global_rank(const Group& group, int group_rank);
int get_group_rank(const Group& group, int global_rank);

/// Options of new_group.
struct NewGroupOptions {
  std::optional<Timeout> timeout{};     ///< default: that of the default group
  std::optional<bool> deterministic{};  ///< default: that of the default group
};
/// Creates a group of the given global ranks, of all ranks if the list is empty. Members are
/// numbered in ascending order of their global ranks. All ranks of the default group must call it
/// in the same order; calls with a group by a rank outside of it warn and do nothing. Throws
/// ValueError for a rank that does not exist or occurs twice. PyTorch: torch.distributed.new_group.
Group new_group(const std::vector<int>& ranks = {}, const NewGroupOptions& options = {});

/// Level of verification of collective calls. PyTorch: torch.distributed.DebugLevel.
enum class DebugLevel : std::uint8_t {
  off,
  info,   ///< as off
  detail  ///< compares each collective of all ranks before it starts: name, element type, root, and
          ///< shape or, if ranks may have other ones, the numbers of elements sent and received
};
/// Returns, or sets, the debug level of the calling rank. The default is the environment variable
/// TORCH_DISTRIBUTED_DEBUG (OFF, INFO, DETAIL). All ranks must use the same level.
/// PyTorch: torch.distributed.get_debug_level, torch.distributed.set_debug_level.
DebugLevel get_debug_level();
void set_debug_level(DebugLevel level);

/// Runs `f(rank)` on `count` threads, the ranks of a job in this process, and returns when all have
/// returned. Within `f`, init_process_group creates a group of these ranks, and each rank has its
/// own default generator, which starts as a copy of the caller's. If `f` throws on a rank, the
/// groups of that rank are aborted, so that the others fail instead of waiting; the error that
/// occurred first is rethrown, with the rank in its message. Throws ValueError if `count` is not
/// positive. PyTorch: torch.multiprocessing.spawn.
void spawn_threads(int count, const SharedFunction<void(int rank)>& f);

}  // namespace distributed
}  // namespace taper
