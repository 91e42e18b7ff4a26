// EngineGroup: a process group on an engine of the C ABI.
#pragma once
#include <list>
#include <mutex>
#include <vector>

#include "taper/dist/c_api.h"
#include "taper/dist/process_group.h"

namespace taper::distributed {

/// Creates the group `key`, of which the caller is a member. Throws DistributedError if the engine
/// fails.
Group make_engine_group(const taper_dist_engine& engine, const std::string& key, int rank,
                        std::vector<int> ranks, const GroupOptions& options);
/// Creates a group of which the caller is not a member: calls warn and do nothing.
Group make_outsider_group(std::vector<int> ranks, const GroupOptions& options);
/// Cancels pending collectives of a group. Later calls throw RuntimeError.
void close_group(ProcessGroup& group);

/// Base of the groups, which can be closed.
class ClosableGroup : public ProcessGroup {
 public:
  using ProcessGroup::ProcessGroup;
  virtual void close() = 0;
};

class EngineGroup final : public ClosableGroup {
 public:
  EngineGroup(const taper_dist_engine& engine, taper_dist_group* group, int rank,
              std::vector<int> ranks, const GroupOptions& options)
      : ClosableGroup(rank, std::move(ranks), options), engine_(engine), group_(group) {}
  ~EngineGroup() override;

  Work start(RawCall call) override;
  void abort(const std::string& reason) override;
  void close() override;

  const taper_dist_engine& engine() const { return engine_; }

 private:
  std::shared_ptr<Work::State> launch(RawCall call);
  taper_dist_status call_engine(const RawCall& call, taper_dist_work** work);
  void compare_calls(const RawCall& call);
  void add_pending(const std::shared_ptr<Work::State>& state);

  const taper_dist_engine& engine_;
  taper_dist_group* group_;
  bool is_closed_ = false;
  std::uint64_t sequence_ = 0;
  /// Works that may be pending, so that their tensors outlive dropped handles.
  std::list<std::shared_ptr<Work::State>> pending_;
};

}  // namespace taper::distributed
