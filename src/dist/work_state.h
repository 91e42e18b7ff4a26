// State of a Work.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/observer.h"
#include "dist/engine_group.h"
#include "taper/dist/work.h"

namespace taper::distributed {

struct Work::State {
  using Clock = std::chrono::steady_clock;

  const taper_dist_engine* engine = nullptr;
  taper_dist_work* work = nullptr;  ///< null after it has completed
  std::weak_ptr<EngineGroup> group{};
  std::vector<Tensor> tensors{};
  std::vector<SharedFunction<void()>> finish{};
  CallText call{};
  std::string description{};  ///< "rank 1: all_reduce(sum) of float32 [3]"
  std::string_view name{};    ///< "all_reduce"
  std::uint64_t number = 0;   ///< of a collective in the sequence of the group, from 1
  std::string error{};
  Clock::time_point start{}, deadline{};
  Timeout timeout{};
  int source = -1;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { release(); }

  bool is_pending() const { return work != nullptr; }
  /// Waits for at most `seconds`. Returns false if the work is pending.
  bool poll(double seconds);
  /// As poll. Fails if another rank makes it impossible that a collective of processes completes.
  bool poll_with_inquiries(double seconds);
  /// Waits for at most `seconds`, otherwise aborts the group. `limit` is the timeout that the error
  /// message reports.
  void wait_for(double seconds, Timeout limit);
  /// Releases the work of the engine, which cancels it if it is pending.
  void release();
  /// Marks a pending work as failed.
  void cancel(const std::string& reason);
  void throw_error() const;
  /// Returns the time of a completed work for profiles.
  Interval interval() const;
  /// Returns the reason of a work that has failed, after the failure of `wait`.
  std::string reason_of_failure() const;
};

}  // namespace taper::distributed
