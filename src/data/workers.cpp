#include "data/workers.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "taper/core/detail/thread_generator.h"

namespace taper::data {
namespace {
thread_local const WorkerInfo* worker_info = nullptr;
}

const WorkerInfo* get_worker_info() { return worker_info; }

namespace detail {
namespace {
// Seconds that a duration can represent. Longer waits have no limit.
constexpr double kMaxTimeout = 1e9;
}  // namespace

DataLoaderIterator::Workers::Workers(const DataLoaderOptions& options, const StartFetching& start,
                                     std::uint64_t base_seed)
    : count_(options.num_workers),
      start_fetching_(start),
      init_(options.worker_init_fn),
      ended_(static_cast<std::size_t>(count_), false),
      queues_(static_cast<std::size_t>(count_)) {
  try {
    for (int id = 0; id < count_; ++id)
      threads_.emplace_back(
          [this, id, seed = base_seed + static_cast<std::uint64_t>(id)] { run_worker(id, seed); });
  } catch (...) {  // a thread could not be started
    stop();
    throw;
  }
}
DataLoaderIterator::Workers::~Workers() { stop(); }

void DataLoaderIterator::Workers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  state_changed_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void DataLoaderIterator::Workers::restart() {
  {
    std::unique_lock lock(mutex_);
    state_changed_.wait(lock, [&] { return results_.size() == submitted_ - returned_; });
    results_.clear();
  }
  submitted_ = returned_ = turn_ = 0;
  ++epoch_;
  std::fill(ended_.begin(), ended_.end(), false);
}

bool DataLoaderIterator::Workers::submit(Indices indices) {
  for (int i = 0; i < count_; ++i) {
    const std::size_t worker = turn_++ % static_cast<std::size_t>(count_);
    if (ended_[worker]) continue;
    {
      const std::lock_guard lock(mutex_);
      queues_[worker].push_back({submitted_++, epoch_, std::move(indices)});
    }
    state_changed_.notify_all();
    return true;
  }
  return false;
}

DataLoaderIterator::DataLoaderIterator::Workers::Result DataLoaderIterator::Workers::wait(
    double timeout) {
  std::unique_lock lock(mutex_);
  const auto is_ready = [&] { return results_.contains(returned_); };
  if (timeout == 0 || timeout > kMaxTimeout)
    state_changed_.wait(lock, is_ready);
  else if (!state_changed_.wait_for(lock, std::chrono::duration<double>(timeout), is_ready))
    fail<RuntimeError>("DataLoader timed out after {} seconds", timeout);
  return std::move(results_.extract(returned_++).mapped());
}

DataLoaderIterator::DataLoaderIterator::Workers::Result DataLoaderIterator::Workers::read(
    const Request& request, std::size_t& epoch, Fetch& fetch) const {
  Result result;
  try {
    if (epoch != request.epoch) {
      fetch = start_fetching_();
      epoch = request.epoch;
    }
    result.batch = fetch(request.indices);
  } catch (...) { result.error = std::current_exception(); }
  return result;
}

void DataLoaderIterator::Workers::run_worker(int id, std::uint64_t seed) {
  const WorkerInfo info{id, count_, seed, Generator(seed)};
  worker_info = &info;
  const random::ThreadGenerator default_of_worker(info.generator);
  std::exception_ptr init_error;
  try {
    if (init_) init_(info);
  } catch (...) { init_error = std::current_exception(); }
  std::deque<Request>& queue = queues_[static_cast<std::size_t>(id)];
  std::size_t epoch = 0;
  Fetch fetch;
  std::unique_lock lock(mutex_);
  while (true) {
    state_changed_.wait(lock, [&] { return stopping_ || !queue.empty(); });
    if (stopping_) return;
    const Request request = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    Result result = init_error ? Result{.error = init_error} : read(request, epoch, fetch);
    result.worker = id;
    lock.lock();
    results_.emplace(request.batch, std::move(result));
    state_changed_.notify_all();
  }
}

}  // namespace detail
}  // namespace taper::data
