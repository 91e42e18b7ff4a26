#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "core/check.h"
#include "dist/rank_context.h"
#include "dist/thread_hub.h"
#include "taper/core/detail/thread_generator.h"
#include "taper/dist/init.h"

namespace taper::distributed {
namespace {

/// The first failure of a job of threads.
class ThreadJobFailure {
 public:
  explicit ThreadJobFailure(std::string job) : prefix_(std::move(job) + "/") {}

  /// Records the current exception of a rank and aborts the groups of the job.
  void record(int rank) {
    const std::lock_guard lock(mutex_);
    if (error_) return;
    error_ = std::current_exception();
    rank_ = rank;
    abort_thread_hubs(prefix_, format_message("rank {} failed: {}", rank, text()));
  }
  void finish() {
    remove_thread_hubs(prefix_);
    if (!error_) return;
    try {
      std::rethrow_exception(error_);
    } catch (const DistributedError&) {
      throw;  // its message contains the rank
    } catch (const Error& error) {
      throw_error(error.kind(), format_message("rank {}: {}", rank_, error.what()));
    }
  }

 private:
  std::string text() const {
    try {
      std::rethrow_exception(error_);
    } catch (const std::exception& error) { return error.what(); } catch (...) {
      return "unknown exception";
    }
  }

  std::string prefix_;
  std::mutex mutex_;
  std::exception_ptr error_;
  int rank_ = -1;
};

void run_rank(RankContext& context, const SharedFunction<void(int)>& f, Generator generator,
              ThreadJobFailure& failure) {
  const ThreadContext scope(context);
  const random::ThreadGenerator generator_scope(generator);
  try {
    f(context.rank);
    if (context.world) destroy_process_group();
  } catch (...) {
    failure.record(context.rank);
    if (context.world) destroy_process_group();
  }
}

}  // namespace

void spawn_threads(int count, const SharedFunction<void(int rank)>& f) {
  if (count <= 0) fail<ValueError>("spawn_threads: expected a positive number, got {}", count);
  static std::atomic<std::uint64_t> next_job{0};
  const std::string job = "threads-" + std::to_string(next_job++);
  ThreadJobFailure failure(job);
  std::vector<RankContext> contexts(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    RankContext& context = contexts[static_cast<std::size_t>(rank)];
    context.rank = rank, context.size = count, context.job = job;
    threads.emplace_back([&context, &f, &failure, generator = default_generator().clone_state()] {
      run_rank(context, f, generator, failure);
    });
  }
  for (std::thread& thread : threads) thread.join();
  failure.finish();
}

}  // namespace taper::distributed
