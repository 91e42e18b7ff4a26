// StagePipeline: threads that each execute one stage of all batches.
#pragma once
#include <array>
#include <deque>
#include <memory>

#include "data/batch_threads.h"
#include "data/stage_times.h"

namespace taper::data::detail {

/// Threads that each execute one stage. Each batch has a default generator, seeded with the base
/// seed and its number, so that what the stages draw does not depend on timing.
class StagePipeline final : public BatchThreads {
 public:
  StagePipeline(const DataLoaderOptions& options, std::shared_ptr<StageTimes> times,
                const StartStages& start, std::uint64_t base_seed);
  ~StagePipeline() override { stop(); }

  bool submit(Indices indices) override;

 private:
  struct Task {
    std::size_t batch = 0;
    Indices indices{};
    Generator generator{};
    AnyBatch value{};
  };
  void run_thread(Stage stage, int id);
  void run_task(Stage stage, int id, Task& task);

  const std::shared_ptr<StageTimes> times_;
  const Stages stages_;
  std::uint64_t next_seed_;                         // used by the calling thread
  std::array<std::deque<Task>, kStages> queues_{};  // of each stage
};

}  // namespace taper::data::detail
