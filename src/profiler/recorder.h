// Recorder: the events of one thread while a profile is recorded.
#pragma once
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/observer.h"
#include "taper/profiler/profiler.h"

namespace taper::profiler {

using Clock = std::chrono::steady_clock;

/// A recorded event. Names are owned by the recorder or by the description of the op.
struct Record {
  EventKind kind{};
  bool is_complete = false, is_in_place = false;
  std::string_view name{};
  std::string_view module{};  ///< path of the innermost module call
  std::string_view path{};    ///< of a module: its own path
  std::int64_t parent = -1;
  const void* scope = nullptr;    ///< identifies the event until it is complete
  const void* subject = nullptr;  ///< of a module: the called module
  std::uint64_t sequence_nr = 0;  ///< of the backward pass: number of the node
  Clock::time_point start{}, end{};
  std::vector<Shape> input_shapes{};
  double flops = 0, bytes = 0;
  std::int64_t memory = 0;  ///< balance of the thread at the start, then the difference
  std::optional<std::size_t> allocated{};  ///< of the process at the end; none of a collective
};

/// A node of the backward pass, and the path of the innermost module call that recorded it.
struct RecordedNode {
  std::uint64_t sequence_nr = 0;
  std::string_view module{};
};

/// Events of one thread and the names that they refer to, which remain valid if it is moved.
struct ThreadRecords {
  std::string thread{};
  std::vector<Record> records{};
  std::vector<RecordedNode> nodes{};
  std::set<std::string, std::less<>> names{};
};

/// Records the events of one thread.
class Recorder final : public Observer {
 public:
  Recorder(std::string thread, const ProfileOptions& options);

  void before(const OpDescriptor& op, std::span<const OpInput> ins) override;
  void after(const OpDescriptor& op, const void* attributes, std::span<const OpInput> ins,
             std::span<const Tensor> outs) override;
  void enter(const void* scope, const ScopeInfo& info) override;
  void leave(const void* scope) noexcept override;
  void node_created(std::uint64_t sequence_nr) override;
  void completed(const Interval& interval) override;

  /// Returns the name of the thread.
  const std::string& thread() const { return thread_; }
  /// Discards what was recorded. Open events remain open and start now.
  void discard();
  /// Ends the recording and returns its events, then the intervals of other threads. Later events
  /// are ignored.
  std::vector<ThreadRecords> take();

 private:
  std::string_view intern(std::string_view name);
  Record& open(const void* scope, EventKind kind);
  /// Ends the event of `scope`. Events within it, which an exception left, remain incomplete.
  /// Returns the event, or null if it is not open.
  Record* close(const void* scope) noexcept;
  /// Returns the innermost open call of a module; null if there is none.
  const Record* open_module_call() const;
  /// Returns its path.
  std::string_view innermost_module() const;
  std::string_view path_of_call(const void* module, const std::string& type);

  const std::string thread_;
  // Options, copied: a worker of a loader may outlive the profile.
  const bool record_shapes_, profile_memory_, with_flops_, with_modules_;
  std::mutex mutex_;
  bool is_ended_ = false;
  ThreadRecords records_;
  std::vector<ThreadRecords> intervals_;
  std::vector<std::size_t> open_;  ///< indices of the open events, the innermost last
  /// Paths of modules, relative to the calling module.
  std::map<std::pair<const void*, const void*>, std::string> paths_;
};

/// The recorders of all threads.
class Recorders final : public ThreadObservers {
 public:
  explicit Recorders(ProfileOptions options) : options_(std::move(options)) {}
  std::shared_ptr<Observer> observer_of(const std::string& thread) override;
  std::shared_ptr<Recorder> recorder_of(const std::string& thread);
  void discard();
  /// Ends the recording and returns the events of each thread, in the order of their first events.
  std::vector<ThreadRecords> take();

 private:
  const ProfileOptions options_;
  std::mutex mutex_;
  std::vector<std::pair<std::thread::id, std::shared_ptr<Recorder>>> recorders_;
};

}  // namespace taper::profiler
