// RankContext: the groups and settings of one rank.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dist/job/process_job.h"

namespace taper::distributed {

struct RankContext {
  /// Null if the ranks are threads or the process is alone. Destroyed after the groups.
  std::unique_ptr<ProcessJob> process_job{};
  int rank = 0, size = 1;
  std::string job;  ///< prefix of the keys of its groups
  Group world{};
  std::vector<Group> groups{};  ///< all groups that were not destroyed
  std::string backend{};
  std::optional<DebugLevel> debug_level{};
  int created = 0;  ///< number of groups that all ranks have created
};

/// Returns the context of the calling thread in a function run by spawn_threads, otherwise that of
/// the process.
RankContext& rank_context();

/// Installs a context for the calling thread for the duration of a scope.
class ThreadContext {
 public:
  explicit ThreadContext(RankContext& context);
  ~ThreadContext();
  ThreadContext(const ThreadContext&) = delete;
  ThreadContext& operator=(const ThreadContext&) = delete;
};

/// Returns the group itself, or the default group if it is null. Throws ValueError if that does not
/// exist.
const Group& resolve_group(const Group& group);

}  // namespace taper::distributed
