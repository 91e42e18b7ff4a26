// BatchThreads: threads that read the batches of a data loader.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "taper/data/detail/data_loader_iterator.h"

namespace taper::data::detail {

/// Threads that read batches and store them, or their exceptions, for the caller.
class BatchThreads {
 public:
  struct Result {
    int worker = 0;
    AnyBatch batch{};  ///< null at the end of the dataset of the worker
    std::exception_ptr error{};
  };

  explicit BatchThreads(const DataLoaderOptions& options)
      : timeout_(options.timeout), in_order_(options.in_order) {}
  virtual ~BatchThreads() = default;
  BatchThreads(const BatchThreads&) = delete;
  BatchThreads& operator=(const BatchThreads&) = delete;

  /// Requests a batch. Returns false if no thread accepts it.
  virtual bool submit(Indices indices) = 0;
  /// Waits for all requested batches, discards them, and starts the next epoch.
  virtual void restart();
  /// Marks a worker as being at the end of its dataset. Returns false if it was marked before.
  virtual bool set_ended(int) { return false; }
  /// Returns true if there are requested batches that were not returned.
  bool has_pending() const { return returned_ < submitted_; }
  /// Returns the oldest requested batch, or the first one that is ready if batches may be returned
  /// out of order, and removes it. Throws RuntimeError after the timeout.
  virtual Result wait();

 protected:
  /// Starts `count` threads, which call `run(i)`. If that fails, stops those that were started.
  template <class Run> void start_threads(int count, const Run& run) {
    try {
      for (int i = 0; i < count; ++i) threads_.emplace_back([run, i] { run(i); });
    } catch (...) {
      stop();
      throw;
    }
  }
  /// Ends the threads. Derived classes call it before their members are destroyed.
  void stop();
  /// Stores the result of a batch. The caller holds `mutex_`.
  void store(std::size_t batch, Result result);

  const double timeout_;
  const bool in_order_;
  std::size_t submitted_ = 0, returned_ = 0;  // used by the calling thread

  std::mutex mutex_;
  std::condition_variable state_changed_;
  bool stopping_ = false;

 private:
  std::map<std::size_t, Result> results_;  // by batch
  std::deque<std::size_t> arrived_;        // batches in `results_`, the oldest result first
  std::vector<std::thread> threads_;
};

}  // namespace taper::data::detail
