#include "taper/dist/init.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "core/check.h"
#include "dist/engine_group.h"
#include "dist/rank_context.h"
#include "dist/statistics_exchange.h"
#include "dist/thread_engine.h"

namespace taper::distributed {
namespace {

/// Throws if the environment is that of a launcher of several processes.
void check_one_process() {
  constexpr std::array variables = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                    "SLURM_NTASKS"};
  for (const char* name : variables) {
    const char* const value = std::getenv(name);
    if (value && std::atol(value) > 1)
      fail<NotImplementedError>(
          "init_process_group: {} is {}, but an engine for several processes is not available; "
          "spawn_threads runs ranks in one process",
          name, value);
  }
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

std::vector<int> consecutive_ranks(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  for (int r = 0; r < count; ++r) ranks[static_cast<std::size_t>(r)] = r;
  return ranks;
}

}  // namespace

RankContext& rank_context() {
  static RankContext process;
  return thread_context ? *thread_context : process;
}
ThreadContext::ThreadContext(RankContext& context) { thread_context = &context; }
ThreadContext::~ThreadContext() { thread_context = nullptr; }

const Group& resolve_group(const Group& group) { return group ? group : default_group(); }

void init_process_group(const InitOptions& options) {
  RankContext& context = rank_context();
  if (context.world)
    fail<RuntimeError>("init_process_group: trying to initialize the default process group twice!");
  if (!options.backend.empty() && options.backend != "threads")
    fail<ValueError>("init_process_group: unknown backend '{}', expected 'threads'",
                     options.backend);
  if (!(options.timeout.count() > 0))
    fail<ValueError>("init_process_group: timeout must be positive, got {} s",
                     options.timeout.count());
  if (!thread_context) {
    check_one_process();
    if (context.job.empty()) context.job = "process";
  }
  const std::string key = context.job + "/" + std::to_string(context.created++);
  context.world =
      make_engine_group(thread_engine(), key, context.rank, consecutive_ranks(context.size),
                        {options.timeout, options.deterministic});
  context.backend = thread_engine().name;
  context.groups.push_back(context.world);
  enable_statistics_exchange();
}

void destroy_process_group(const Group& group) {
  RankContext& context = rank_context();
  const Group target = resolve_group(group);
  if (target == context.world) {
    for (const Group& each : context.groups) close_group(*each);
    context.groups.clear();
    context.world = nullptr;
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
  const std::string key = context.job + "/" + std::to_string(context.created++);
  const auto mine = std::find(members.begin(), members.end(), context.rank);
  const int rank = mine == members.end() ? -1 : static_cast<int>(mine - members.begin());
  context.groups.push_back(
      rank < 0 ? make_outsider_group(std::move(members), group_options)
               : make_engine_group(thread_engine(), key, rank, std::move(members), group_options));
  return context.groups.back();
}

DebugLevel get_debug_level() {
  RankContext& context = rank_context();
  if (!context.debug_level) context.debug_level = debug_level_of_environment();
  return *context.debug_level;
}
void set_debug_level(DebugLevel level) { rank_context().debug_level = level; }

}  // namespace taper::distributed
