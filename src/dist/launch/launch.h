// Launch: the place of this process in a job, read from the variables of its launcher.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace taper::distributed {

/// Program that started the processes of a job.
enum class Launcher : std::uint8_t {
  none,       ///< one process
  taper_run,  ///< `taper run`, with the variables of torchrun
  torchrun,
  variables,  ///< another program that sets RANK and WORLD_SIZE: Kubernetes, a script
  open_mpi,   ///< mpirun of Open MPI
  pmi,        ///< mpirun of MPICH, and other implementations of PMI
  slurm       ///< srun
};

/// Beginning of TORCHELASTIC_RUN_ID in the jobs of `taper run`.
inline constexpr std::string_view kTaperRunId = "taper-";

/// Reads a variable; null if it is not set.
using ReadVariable = const char* (*)(const char* name);

/// Address at which rank 0 listens for the others.
struct Endpoint {
  std::string host;
  int port = 0;

  /// Returns "host:port", with an IPv6 address in brackets.
  std::string str() const;
};

/// Place of this process in its job.
struct Launch {
  Launcher launcher = Launcher::none;
  int rank = 0, size = 1;
  /// Rank among the processes of this machine, and their number.
  std::optional<int> local_rank{}, local_size{};
  /// Name of the job and of its attempt, equal on all ranks. Names of keys begin with it.
  std::string job{};
  std::optional<Endpoint> rendezvous{};
  std::string rendezvous_problem{};  ///< why there is no address
  bool has_mpi = false;              ///< started by mpirun, or by srun with PMI or PMIx
};

/// Reads the variables of torchrun, Open MPI, PMI and Slurm; one process if none are set. Throws
/// ValueError, which names the variables, if they are incomplete, invalid or contradictory.
Launch read_launch(ReadVariable read);

/// Returns the name of a launcher for messages: "taper run", "Open MPI".
std::string_view name_of(Launcher launcher);

/// Returns the first host of a list of Slurm: "node07" for "node[07-09,12],login". Empty if the
/// list is invalid.
std::string first_slurm_host(std::string_view list);
/// Parses "host:port" or "[address]:port". Returns nullopt if it is invalid.
std::optional<Endpoint> parse_endpoint(std::string_view text);

}  // namespace taper::distributed
