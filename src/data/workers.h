// Workers: threads that each read whole batches.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "data/batch_threads.h"
#include "data/stage_times.h"

namespace taper::data::detail {

/// Threads that each execute all stages of a batch. Batches are assigned to them in turn, so that
/// the random numbers of a worker do not depend on timing, unless batches may be returned out of
/// order.
class Workers final : public BatchThreads {
 public:
  Workers(const DataLoaderOptions& options, std::shared_ptr<StageTimes> times,
          const StartStages& start, std::uint64_t base_seed);
  ~Workers() override { stop(); }

  void restart() override;
  /// Requests a batch of the next worker that is not at its end and, if batches may be returned out
  /// of order, has fewer requests than its share. Returns false if there is none.
  bool submit(Indices indices) override;
  bool set_ended(int worker) override;
  Result wait() override;

 private:
  struct Request {
    std::size_t batch = 0, epoch = 0;
    Indices indices{};
  };
  bool has_capacity(std::size_t worker) const;
  void run_worker(int id, std::uint64_t seed);
  Result read(const Request& request, std::size_t& epoch, Stages& stages) const;

  const int count_;
  const int max_requests_;  // of all workers
  const std::shared_ptr<StageTimes> times_;
  const StartStages start_stages_;
  const SharedFunction<void(const WorkerInfo&)> init_;

  // Used by the calling thread.
  std::size_t epoch_ = 1, turn_ = 0;
  std::vector<bool> ended_;
  std::vector<int> requests_;  // of each worker, that were not returned

  std::vector<std::deque<Request>> queues_;  // of each worker
};

}  // namespace taper::data::detail
