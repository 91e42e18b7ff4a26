#include "data/stage_pipeline.h"

#include <string>
#include <utility>

#include "core/observer.h"
#include "taper/core/detail/thread_generator.h"

namespace taper::data::detail {

StagePipeline::StagePipeline(const DataLoaderOptions& options, std::shared_ptr<StageTimes> times,
                             const StartStages& start, std::uint64_t base_seed)
    : BatchThreads(options), times_(std::move(times)), stages_(start()), next_seed_(base_seed) {
  const data::StageThreads& widths = *options.stage_threads;
  for (const auto& [stage, width] :
       {std::pair(Stage::fetch, widths.fetch), std::pair(Stage::decode, widths.decode),
        std::pair(Stage::collate, widths.collate)})
    if (has_stage(stages_, stage))
      start_threads(width, [this, stage = stage](int id) { run_thread(stage, id); });
}

bool StagePipeline::submit(Indices indices) {
  {
    const std::lock_guard lock(mutex_);
    queues_[0].push_back({submitted_++, std::move(indices), Generator(next_seed_++), nullptr});
  }
  state_changed_.notify_all();
  return true;
}

void StagePipeline::run_task(Stage stage, int id, Task& task) {
  const ObservedThread thread(
      [&] { return std::string("DataLoader ") + name_of(stage) + " " + std::to_string(id); });
  const random::ThreadGenerator default_of_batch(task.generator);
  task.value = times_->run(stage, stages_, task.indices, task.value);
}

void StagePipeline::run_thread(Stage stage, int id) {
  // The queue that receives the results; none after the last stage.
  std::deque<Task>* next = nullptr;
  for (std::size_t s = static_cast<std::size_t>(stage) + 1; s < kStages && !next; ++s)
    if (has_stage(stages_, static_cast<Stage>(s))) next = &queues_[s];
  std::deque<Task>& queue = queues_[static_cast<std::size_t>(stage)];
  std::unique_lock lock(mutex_);
  while (true) {
    state_changed_.wait(lock, [&] { return stopping_ || !queue.empty(); });
    if (stopping_) return;
    Task task = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    Result result;
    try {
      run_task(stage, id, task);
    } catch (...) { result.error = std::current_exception(); }
    lock.lock();
    if (next && !result.error) {
      next->push_back(std::move(task));
      state_changed_.notify_all();
    } else {
      result.batch = std::move(task.value);
      store(task.batch, std::move(result));
    }
  }
}

}  // namespace taper::data::detail
