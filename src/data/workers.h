// Workers: threads that read the batches of a data loader.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "taper/data/detail/data_loader_iterator.h"

namespace taper::data::detail {

/// Threads that read batches and store them, or their exceptions, for the caller. Batches are
/// assigned to the workers in turn, so that what a worker draws does not depend on timing.
struct DataLoaderIterator::Workers {
 public:
  struct Result {
    int worker = 0;
    AnyBatch batch{};  ///< null at the end of the dataset of the worker
    std::exception_ptr error{};
  };

  Workers(const DataLoaderOptions& options, const StartFetching& start, std::uint64_t base_seed);
  ~Workers();

  /// Waits for all requested batches, discards them, and makes the workers start their datasets
  /// anew.
  void restart();
  /// Requests a batch of the next worker that is not at its end and, if batches may be returned out
  /// of order, has fewer requests than its share. Returns false if there is none.
  bool submit(Indices indices);
  /// Returns true if there are requested batches that were not returned.
  bool has_pending() const { return returned_ < submitted_; }
  /// Returns the oldest requested batch, or the first one that is ready if batches may be returned
  /// out of order, and removes it. Throws RuntimeError after the timeout.
  Result wait();
  /// Marks a worker as being at the end of its dataset. Returns false if it was marked before.
  bool set_ended(int worker) {
    const auto at = static_cast<std::size_t>(worker);
    const bool is_new = !ended_[at];
    ended_[at] = true;
    return is_new;
  }

 private:
  struct Request {
    std::size_t batch = 0, epoch = 0;
    Indices indices{};
  };
  bool has_capacity(std::size_t worker) const;
  void run_worker(int id, std::uint64_t seed);
  Result read(const Request& request, std::size_t& epoch, Fetch& fetch) const;
  void stop();

  const int count_;
  const int max_requests_;  // of all workers
  const double timeout_;
  const bool in_order_;
  const StartFetching start_fetching_;
  const SharedFunction<void(const WorkerInfo&)> init_;

  // Used by the calling thread.
  std::size_t submitted_ = 0, returned_ = 0, epoch_ = 1, turn_ = 0;
  std::vector<bool> ended_;
  std::vector<int> requests_;  // of each worker, that were not returned

  std::mutex mutex_;
  std::condition_variable state_changed_;
  std::vector<std::deque<Request>> queues_;  // of each worker
  bool stopping_ = false;
  std::map<std::size_t, Result> results_;  // by batch
  std::deque<std::size_t> arrived_;        // batches in `results_`, the oldest result first
  std::vector<std::thread> threads_;
};

}  // namespace taper::data::detail
