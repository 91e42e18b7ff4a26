#include "dist/launch/launch.h"

#include <array>

#include "core/check.h"
#include "dist/launch/variables.h"

namespace taper::distributed {
namespace {

/// Names of the variables of a launcher, the most specific first.
struct LaunchVariables {
  Launcher launcher;
  std::array<const char*, 3> rank, size, local_rank, local_size;
};

constexpr LaunchVariables kTorchrun = {
    Launcher::variables, {"RANK"}, {"WORLD_SIZE"}, {"LOCAL_RANK"}, {"LOCAL_WORLD_SIZE"}};
constexpr LaunchVariables kOpenMpi = {Launcher::open_mpi,
                                      {"OMPI_COMM_WORLD_RANK"},
                                      {"OMPI_COMM_WORLD_SIZE"},
                                      {"OMPI_COMM_WORLD_LOCAL_RANK"},
                                      {"OMPI_COMM_WORLD_LOCAL_SIZE"}};
constexpr LaunchVariables kPmi = {
    Launcher::pmi, {"PMI_RANK"}, {"PMI_SIZE"}, {"MPI_LOCALRANKID"}, {"MPI_LOCALNRANKS"}};
constexpr LaunchVariables kSlurm = {Launcher::slurm,
                                    {"SLURM_PROCID"},
                                    {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"},
                                    {"SLURM_LOCALID"},
                                    {}};

/// Reads rank and size. Returns nullopt if neither is set, or if the size is 1 without a rank.
std::optional<Launch> read_ranks(const Variables& env, const LaunchVariables& names) {
  const auto rank = env.number(names.rank), size = env.number(names.size);
  if (!rank && (!size || size->value == 1)) return {};
  if (!rank)
    fail<ValueError>("init_process_group: {} is {}, but {} is not set; the launcher must set both",
                     size->name, size->value, names.rank[0]);
  if (!size)
    fail<ValueError>("init_process_group: {} is {}, but {} is not set; the launcher must set both",
                     rank->name, rank->value, names.size[0]);
  if (size->value < 1)
    fail<ValueError>("init_process_group: {} is 0, expected a positive number", size->name);
  if (rank->value >= size->value)
    fail<ValueError>("init_process_group: {} is {}, but {} is {}; ranks are less than the size",
                     rank->name, rank->value, size->name, size->value);
  Launch launch;
  launch.launcher = names.launcher;
  launch.rank = rank->value, launch.size = size->value;
  const auto local_rank = env.number(names.local_rank), local_size = env.number(names.local_size);
  if (local_rank) launch.local_rank = local_rank->value;
  if (local_size) launch.local_size = local_size->value;
  if (local_size && local_size->value > size->value)
    fail<ValueError>(
        "init_process_group: {} is {}, but {} is {}; the local size must not exceed the size",
        local_size->name, local_size->value, size->name, size->value);
  if (local_rank && local_rank->value >= (local_size ? local_size->value : size->value))
    fail<ValueError>("init_process_group: {} is {}, but {} is {}; ranks are less than the size",
                     local_rank->name, local_rank->value,
                     local_size ? local_size->name : size->name,
                     local_size ? local_size->value : size->value);
  return launch;
}

/// Variables of Slurm are set in batch scripts, too, which are one process. srun sets the number of
/// the step.
bool is_slurm_step(const Variables& env) {
  return env.is_set("SLURM_STEP_ID") || env.is_set("SLURM_STEPID") ||
         env.is_set("SLURM_STEP_NUM_TASKS");
}

[[noreturn]] void reject_contradiction(const Launch& by_hand, const Launch& mpi) {
  fail<ValueError>(
      "init_process_group: RANK and WORLD_SIZE are {} and {}, but {} started rank {} of {}; unset "
      "RANK and WORLD_SIZE, or start the program with one launcher",
      by_hand.rank, by_hand.size, name_of(mpi.launcher), mpi.rank, mpi.size);
}

/// Selects the launcher nearest to the program.
Launch select_launch(const Variables& env) {
  auto torchrun = read_ranks(env, kTorchrun);
  // torchrun may be started by mpirun or srun, once per machine, but does not start these.
  if (torchrun && env.is_set("TORCHELASTIC_RUN_ID")) {
    const bool is_ours = env.text("TORCHELASTIC_RUN_ID", "").starts_with(kTaperRunId);
    torchrun->launcher = is_ours ? Launcher::taper_run : Launcher::torchrun;
    return *torchrun;
  }
  auto mpi = read_ranks(env, kOpenMpi);
  if (!mpi) mpi = read_ranks(env, kPmi);
  if (mpi && torchrun && (mpi->rank != torchrun->rank || mpi->size != torchrun->size))
    reject_contradiction(*torchrun, *mpi);
  if (mpi) return *mpi;
  if (torchrun) return *torchrun;
  if (is_slurm_step(env))
    if (const auto slurm = read_ranks(env, kSlurm)) return *slurm;
  return {};
}

std::string job_name(const Variables& env, Launcher launcher) {
  switch (launcher) {
    case Launcher::taper_run:
    case Launcher::torchrun:
    case Launcher::variables:
      return env.text("TORCHELASTIC_RUN_ID", "none") + "/" +
             env.text("TORCHELASTIC_RESTART_COUNT", "0");
    case Launcher::slurm:
      return "slurm-" + env.text("SLURM_JOB_ID", "0") + "." + env.text("SLURM_STEP_ID", "0") + "/" +
             env.text("SLURM_RESTART_COUNT", "0");
    default: return std::string(name_of(launcher));
  }
}

/// Returns a port that steps of other jobs on the same machine do not use, below those that the
/// system assigns.
int port_of_slurm_step(const Variables& env) {
  const std::string step = env.text("SLURM_JOB_ID", "0") + "." + env.text("SLURM_STEP_ID", "0");
  std::uint32_t hash = 2166136261u;
  for (const char c : step) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return 15000 + static_cast<int>(hash % 15000u);
}

void find_slurm_rendezvous(const Variables& env, Launch& launch) {
  std::string host = env.text("MASTER_ADDR", "");
  if (host.empty()) {
    const auto nodes = env.number({"SLURM_STEP_NUM_NODES", "SLURM_NNODES", "SLURM_JOB_NUM_NODES"});
    const std::string list =
        env.text("SLURM_STEP_NODELIST", env.text("SLURM_JOB_NODELIST", "").c_str());
    host = nodes && nodes->value == 1 ? "127.0.0.1" : first_slurm_host(list);
    if (host.empty())
      launch.rendezvous_problem =
          list.empty()
              ? "neither MASTER_ADDR nor SLURM_STEP_NODELIST is set"
              : format_message("SLURM_STEP_NODELIST is '{}', which is not a list of hosts", list);
  }
  const auto port = env.port("MASTER_PORT");
  if (!host.empty()) launch.rendezvous = Endpoint{host, port ? *port : port_of_slurm_step(env)};
}

void find_rendezvous(const Variables& env, Launch& launch) {
  if (env.is_set("TAPER_RENDEZVOUS")) {
    const std::string text = env.text("TAPER_RENDEZVOUS", "");
    launch.rendezvous = parse_endpoint(text);
    if (!launch.rendezvous)
      fail<ValueError>("init_process_group: TAPER_RENDEZVOUS is '{}', expected host:port", text);
    return;
  }
  if (launch.launcher == Launcher::slurm ||
      (launch.launcher == Launcher::pmi && is_slurm_step(env)))
    return find_slurm_rendezvous(env, launch);
  const bool has_host = env.is_set("MASTER_ADDR"), has_port = env.is_set("MASTER_PORT");
  if (!has_host || !has_port) {
    launch.rendezvous_problem =
        has_host   ? "MASTER_ADDR is set, but MASTER_PORT is not"
        : has_port ? "MASTER_PORT is set, but MASTER_ADDR is not"
                   : "neither MASTER_ADDR and MASTER_PORT nor TAPER_RENDEZVOUS is set";
    return;
  }
  int port = *env.port("MASTER_PORT");
  // The agent of torchrun listens on MASTER_PORT.
  if (env.text("TORCHELASTIC_USE_AGENT_STORE", "") == "True" && ++port > 65535)
    fail<ValueError>(
        "init_process_group: MASTER_PORT is 65535, but rank 0 listens on the next port, since the "
        "agent of torchrun uses MASTER_PORT; set TAPER_RENDEZVOUS to host:port");
  launch.rendezvous = Endpoint{env.text("MASTER_ADDR", ""), port};
}

}  // namespace

std::string_view name_of(Launcher launcher) {
  constexpr std::string_view names[] = {
      "no launcher", "taper run", "torchrun", "a program that set RANK and WORLD_SIZE",
      "Open MPI",    "PMI",       "Slurm"};
  return names[static_cast<std::size_t>(launcher)];
}

Launch read_launch(ReadVariable read) {
  const Variables env(read);
  Launch launch = select_launch(env);
  launch.job = job_name(env, launch.launcher);
  launch.has_mpi = launch.launcher == Launcher::open_mpi || launch.launcher == Launcher::pmi ||
                   (launch.launcher == Launcher::slurm && env.is_set("PMIX_RANK"));
  if (launch.size > 1) find_rendezvous(env, launch);
  return launch;
}

}  // namespace taper::distributed
