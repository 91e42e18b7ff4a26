// GlooGroup: a context of Gloo, and the thread that executes its collectives in order.
#pragma once
#include <gloo/transport/unbound_buffer.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "dist_engines/gloo/group_context.h"
#include "taper/core/dtype.h"
#include "taper/dist/c_api.h"

namespace taper::dist_engines {

/// Longest time that Gloo is told to wait: timeouts are those of the callers.
constexpr std::chrono::milliseconds kNoGlooTimeout{1'000'000'000};

/// Returns the text of an error of Gloo without the place in its source.
std::string text_of_gloo_error(const std::exception& error);

class GlooGroup {
 public:
  /// Work in the queue of a group.
  struct Task {
    std::function<void(std::uint32_t tag)> run;
    std::uint64_t signature;
    bool is_done = false;
    bool is_running = false;
    std::chrono::steady_clock::time_point begin{}, end{};
    std::string error{};
  };

  /// Connects the ranks. Throws std::exception.
  GlooGroup(const taper_dist_rendezvous& rendezvous, int rank, int size);
  ~GlooGroup();

  int rank() const { return context_->rank; }
  int size() const { return context_->size; }
  bool is_deterministic() const { return is_deterministic_; }
  std::shared_ptr<gloo::Context> context() const { return context_; }

  /// Returns memory for a collective, which is valid until the next call. It is retained, because
  /// fresh pages of the system cost more than the copies into them.
  std::byte* scratch(std::size_t bytes);

  /// Appends a collective. `signature` is a hash of what must be equal on all ranks: otherwise the
  /// messages of ranks that called different collectives would be confused. Throws
  /// std::runtime_error if the group was aborted.
  std::shared_ptr<Task> enqueue(std::uint64_t signature, std::function<void(std::uint32_t)> run);
  /// Waits for at most `seconds`. Returns false if the task is pending. Throws std::runtime_error
  /// if it has failed.
  bool wait(Task& task, double seconds);
  /// Aborts the group if the task is pending, and waits until its buffers are not in use.
  void cancel(Task& task);

  /// Registers a buffer, whose waits `abort` ends. Throws std::runtime_error if the group was
  /// aborted.
  void add_buffer(gloo::transport::UnboundBuffer* buffer);
  void remove_buffer(gloo::transport::UnboundBuffer* buffer);

  void abort(const std::string& reason);
  /// Throws std::runtime_error if the group was aborted.
  void check_alive();

 private:
  void run_tasks();

  std::size_t scratch_size_ = 0;
  std::unique_ptr<std::byte[]> scratch_;
  std::shared_ptr<GroupContext> context_;
  bool is_deterministic_;
  std::mutex mutex_;
  std::condition_variable queued_, done_;
  std::deque<std::shared_ptr<Task>> queue_;
  std::set<gloo::transport::UnboundBuffer*> buffers_;
  std::uint64_t sequence_ = 0;
  bool is_stopping_ = false;
  std::string abort_reason_;
  bool is_aborted_ = false;
  std::thread thread_;
};

}  // namespace taper::dist_engines
