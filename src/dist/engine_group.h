// EngineGroup: a process group on an engine of the C ABI.
#pragma once
#include <list>
#include <mutex>
#include <vector>

#include "dist/job/process_job.h"
#include "taper/dist/c_api.h"
#include "taper/dist/process_group.h"

namespace taper::distributed {

/// Creates the group `key`, of which the caller is a member. `job` is null if its ranks are
/// threads. Throws DistributedError if the engine fails.
Group make_engine_group(const taper_dist_engine& engine, const ProcessJob* job,
                        const std::string& key, int rank, std::vector<int> ranks,
                        const GroupOptions& options);
/// Creates a group of which the caller is not a member: calls warn and do nothing.
Group make_outsider_group(std::vector<int> ranks, const GroupOptions& options);
/// Cancels pending collectives of a group. Later calls throw RuntimeError.
void close_group(ProcessGroup& group);

/// Process group that can be closed.
class ClosableGroup : public ProcessGroup {
 public:
  using ProcessGroup::ProcessGroup;
  virtual void close() = 0;
};

class EngineGroup final : public ClosableGroup {
 public:
  EngineGroup(const taper_dist_engine& engine, taper_dist_group* group, std::string key,
              std::shared_ptr<PeerMonitor> monitor, int rank, std::vector<int> ranks,
              const GroupOptions& options)
      : ClosableGroup(rank, std::move(ranks), options),
        engine_(engine),
        group_(group),
        key_(std::move(key)),
        monitor_(std::move(monitor)) {}
  ~EngineGroup() override;

  Work start(RawCall call) override;
  void abort(const std::string& reason) override;
  void close() override;

  const taper_dist_engine& engine() const { return engine_; }

  /// Returns what a pending call waits for. `number` is that of a collective, 0 for messages.
  std::string describe_missing(taper_dist_work* work, std::uint64_t number,
                               const CallText& call) const;
  /// Returns why a collective of processes cannot complete any more; empty if that is not known.
  std::string find_obstacle(std::uint64_t number, const CallText& call) const;
  /// Returns why a call failed, given the reason of the engine, and fails the group on all ranks if
  /// these are processes.
  std::string handle_failure(const std::string& reason);

 private:
  std::shared_ptr<Work::State> launch(RawCall call);
  taper_dist_status call_engine(const RawCall& call, taper_dist_work** work);
  void compare_calls(const RawCall& call);
  void add_pending(const std::shared_ptr<Work::State>& state);

  const taper_dist_engine& engine_;
  taper_dist_group* group_;
  bool is_closed_ = false;
  std::string key_;
  std::shared_ptr<PeerMonitor> monitor_;  ///< null if the engine does not use a store
  std::uint64_t sequence_ = 0;
  std::uint64_t num_collectives_ = 0;  ///< calls of the engine
  /// Possibly pending works, which retain their tensors after all handles are destroyed.
  std::list<std::shared_ptr<Work::State>> pending_;
};

}  // namespace taper::distributed
