#include "taper/dist/init.h"

#include <algorithm>
#include <cstdlib>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "dist/engine_group.h"
#include "dist/job/engine_loader.h"
#include "dist/rank_context.h"
#include "dist/rank_exchange.h"
#include "dist/statistics_exchange.h"
#include "dist/thread_engine.h"

namespace taper::distributed {
namespace {

Launch process_launch() {
  return read_launch([](const char* name) -> const char* { return std::getenv(name); });
}

/// Connects the process to its job, or makes it a job of one process.
void prepare_process(RankContext& context, const InitOptions& options) {
  const Launch launch = options.backend == "threads" ? Launch{} : process_launch();
  if (launch.size == 1 && !options.communicator) {
    if (options.backend != "threads") engine_candidates(options.backend, launch, false);
    context.process_job = nullptr;
    context.rank = 0, context.size = 1, context.job = "process";
    return;
  }
  if (!context.process_job || !context.process_job->is_compatible(options)) {
    context.process_job = nullptr;
    context.process_job = std::make_unique<ProcessJob>(launch, options);
  }
  ProcessJob& job = *context.process_job;
  job.set_takes_part(true);
  context.rank = job.rank(), context.size = job.size(), context.job = job.launch().job;
}

/// Returns the engine of the groups of a rank.
const taper_dist_engine& engine_of(const RankContext& context) {
  return context.process_job ? context.process_job->engine() : thread_engine();
}

/// Creates a group, which is the next one of the rank.
Group create_group(RankContext& context, std::vector<int> ranks, int rank,
                   const GroupOptions& options) {
  const std::string key = context.job + "/" + std::to_string(context.created++);
  if (rank < 0) return make_outsider_group(std::move(ranks), options);
  return make_engine_group(engine_of(context), context.process_job.get(), key, rank,
                           std::move(ranks), options);
}

DebugLevel debug_level_of_environment() {
  const char* const value = std::getenv("TORCH_DISTRIBUTED_DEBUG");
  const std::string_view text = value ? value : "OFF";
  if (text == "DETAIL") return DebugLevel::detail;
  if (text == "INFO") return DebugLevel::info;
  if (text == "OFF" || text.empty()) return DebugLevel::off;
  fail<ValueError>("TORCH_DISTRIBUTED_DEBUG: expected OFF, INFO or DETAIL, got '{}'", text);
}

thread_local RankContext* thread_context = nullptr;

/// Releases the groups of a process and ends its connections.
void disconnect(RankContext& context) {
  context.groups.clear();
  context.world = nullptr;
  context.process_job = nullptr;
}

std::vector<int> consecutive_ranks(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  for (int r = 0; r < count; ++r) ranks[static_cast<std::size_t>(r)] = r;
  return ranks;
}

}  // namespace

RankContext& rank_context() {
  if (thread_context) return *thread_context;
  // The connections are ended in order when the process ends. Static objects that are destroyed
  // afterwards find a process without groups.
  static NeverDestroyed<RankContext> process;
  [[maybe_unused]] static const int registered = std::atexit([] { disconnect(*process); });
  return *process;
}
ThreadContext::ThreadContext(RankContext& context) { thread_context = &context; }
ThreadContext::~ThreadContext() { thread_context = nullptr; }

const Group& resolve_group(const Group& group) { return group ? group : default_group(); }

void init_process_group(const InitOptions& options) {
  RankContext& context = rank_context();
  if (context.world)
    fail<RuntimeError>("init_process_group: trying to initialize the default process group twice!");
  if (thread_context && !options.backend.empty() && options.backend != "threads")
    fail<ValueError>("init_process_group: ranks are threads: got backend '{}', expected 'threads'",
                     options.backend);
  if (!(options.timeout.count() > 0))
    fail<ValueError>("init_process_group: timeout must be positive, got {} s",
                     options.timeout.count());
  if (!thread_context) prepare_process(context, options);
  context.world = create_group(context, consecutive_ranks(context.size), context.rank,
                               {options.timeout, options.deterministic});
  const std::string_view name = engine_of(context).name;
  context.backend = name == "openmpi" || name == "mpich" ? "mpi" : name;
  context.groups.push_back(context.world);
  enable_statistics_exchange();
  enable_rank_exchange();
}

void destroy_process_group(const Group& group) {
  RankContext& context = rank_context();
  const Group target = resolve_group(group);
  if (target == context.world) {
    for (const Group& each : context.groups) close_group(*each);
    context.groups.clear();
    context.world = nullptr;
    if (context.process_job) context.process_job->set_takes_part(false);
    return;
  }
  if (std::erase(context.groups, target) == 0)
    fail<ValueError>("destroy_process_group: invalid process group specified");
  close_group(*target);
}

bool is_initialized() { return rank_context().world != nullptr; }

const Group& default_group() {
  const Group& world = rank_context().world;
  if (!world)
    fail<ValueError>(
        "Default process group has not been initialized, please make sure to call "
        "init_process_group.");
  return world;
}

int get_rank(const Group& group) { return resolve_group(group)->rank(); }
int get_world_size(const Group& group) { return resolve_group(group)->size(); }
std::string get_backend() {
  default_group();
  return rank_context().backend;
}

int get_node_local_rank(std::optional<int> fallback_rank) {
  if (thread_context) return thread_context->rank;
  const Launch launch = process_launch();
  if (launch.local_rank) return *launch.local_rank;
  if (launch.launcher == Launcher::none) return 0;
  if (!fallback_rank)
    fail<RuntimeError>("get_node_local_rank: LOCAL_RANK was not set by {}",
                       name_of(launch.launcher));
  return *fallback_rank;
}

std::vector<int> get_process_group_ranks(const Group& group) {
  return resolve_group(group)->ranks();
}

int get_global_rank(const Group& group, int group_rank) {
  const std::vector<int>& ranks = resolve_group(group)->ranks();
  if (group_rank < 0 || static_cast<std::size_t>(group_rank) >= ranks.size())
    fail<ValueError>("group rank {} is not part of group of {} ranks", group_rank, ranks.size());
  return ranks[static_cast<std::size_t>(group_rank)];
}

int get_group_rank(const Group& group, int global_rank) {
  const std::vector<int>& ranks = resolve_group(group)->ranks();
  const auto found = std::find(ranks.begin(), ranks.end(), global_rank);
  if (found == ranks.end())
    fail<ValueError>("Global rank {} is not part of group of {} ranks", global_rank, ranks.size());
  return static_cast<int>(found - ranks.begin());
}

Group new_group(const std::vector<int>& ranks, const NewGroupOptions& options) {
  RankContext& context = rank_context();
  const Group& world = default_group();
  std::vector<int> members = ranks.empty() ? world->ranks() : ranks;
  std::sort(members.begin(), members.end());
  for (const int rank : members)
    if (rank < 0 || rank >= world->size())
      fail<ValueError>("new_group: rank {} does not exist: the default group has {} ranks", rank,
                       world->size());
  if (std::adjacent_find(members.begin(), members.end()) != members.end())
    fail<ValueError>("new_group: rank {} occurs twice",
                     *std::adjacent_find(members.begin(), members.end()));
  GroupOptions group_options = world->options();
  if (options.timeout) group_options.timeout = *options.timeout;
  if (options.deterministic) group_options.deterministic = *options.deterministic;
  const auto mine = std::find(members.begin(), members.end(), context.rank);
  const int rank = mine == members.end() ? -1 : static_cast<int>(mine - members.begin());
  context.groups.push_back(create_group(context, std::move(members), rank, group_options));
  return context.groups.back();
}

DebugLevel get_debug_level() {
  RankContext& context = rank_context();
  if (!context.debug_level) context.debug_level = debug_level_of_environment();
  return *context.debug_level;
}
void set_debug_level(DebugLevel level) { rank_context().debug_level = level; }

}  // namespace taper::distributed
