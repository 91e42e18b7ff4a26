#include "data/workers.h"

#include <algorithm>
#include <utility>

#include "core/observer.h"
#include "taper/core/detail/thread_generator.h"

namespace taper::data {
namespace {
thread_local const WorkerInfo* worker_info = nullptr;
}

const WorkerInfo* get_worker_info() { return worker_info; }

namespace detail {

Workers::Workers(const DataLoaderOptions& options, std::shared_ptr<StageTimes> times,
                 const StartStages& start, std::uint64_t base_seed)
    : BatchThreads(options),
      count_(options.num_workers),
      max_requests_(count_ * options.prefetch_factor.value_or(2)),
      times_(std::move(times)),
      start_stages_(start),
      init_(options.worker_init_fn),
      ended_(static_cast<std::size_t>(count_), false),
      requests_(static_cast<std::size_t>(count_), 0),
      queues_(static_cast<std::size_t>(count_)) {
  start_threads(count_, [this, base_seed](int id) {
    run_worker(id, base_seed + static_cast<std::uint64_t>(id));
  });
}

void Workers::restart() {
  BatchThreads::restart();
  turn_ = 0;
  ++epoch_;
  std::fill(ended_.begin(), ended_.end(), false);
  std::fill(requests_.begin(), requests_.end(), 0);
}

bool Workers::has_capacity(std::size_t worker) const {
  const auto active = std::count(ended_.begin(), ended_.end(), false);
  return in_order_ || requests_[worker] < max_requests_ / active;
}

bool Workers::submit(Indices indices) {
  for (int i = 0; i < count_; ++i) {
    const std::size_t worker = turn_++ % static_cast<std::size_t>(count_);
    if (ended_[worker] || !has_capacity(worker)) continue;
    ++requests_[worker];
    {
      const std::lock_guard lock(mutex_);
      queues_[worker].push_back({submitted_++, epoch_, std::move(indices)});
    }
    state_changed_.notify_all();
    return true;
  }
  return false;
}

bool Workers::set_ended(int worker) {
  const auto at = static_cast<std::size_t>(worker);
  const bool is_new = !ended_[at];
  ended_[at] = true;
  return is_new;
}

BatchThreads::Result Workers::wait() {
  Result result = BatchThreads::wait();
  --requests_[static_cast<std::size_t>(result.worker)];
  return result;
}

BatchThreads::Result Workers::read(const Request& request, std::size_t& epoch,
                                   Stages& stages) const {
  const ObservedThread thread(
      [] { return "DataLoader worker " + std::to_string(worker_info->id); });
  const ObservedScope observed([] { return ScopeInfo{.name = "DataLoader.read"}; });
  Result result;
  try {
    if (epoch != request.epoch) {
      stages = start_stages_();
      epoch = request.epoch;
    }
    result.batch = times_->run_all(stages, request.indices);
  } catch (...) { result.error = std::current_exception(); }
  return result;
}

void Workers::run_worker(int id, std::uint64_t seed) {
  const WorkerInfo info{id, count_, seed, Generator(seed)};
  worker_info = &info;
  const random::ThreadGenerator default_of_worker(info.generator);
  std::exception_ptr init_error;
  try {
    if (init_) init_(info);
  } catch (...) { init_error = std::current_exception(); }
  std::deque<Request>& queue = queues_[static_cast<std::size_t>(id)];
  std::size_t epoch = 0;
  Stages stages;
  std::unique_lock lock(mutex_);
  while (true) {
    state_changed_.wait(lock, [&] { return stopping_ || !queue.empty(); });
    if (stopping_) return;
    const Request request = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    Result result = init_error ? Result{.error = init_error} : read(request, epoch, stages);
    result.worker = id;
    lock.lock();
    store(request.batch, std::move(result));
  }
}

}  // namespace detail
}  // namespace taper::data
