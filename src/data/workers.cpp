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
      max_requests_(count_ * options.prefetch_factor.value_or(2)),
      timeout_(options.timeout),
      in_order_(options.in_order),
      start_fetching_(start),
      init_(options.worker_init_fn),
      ended_(static_cast<std::size_t>(count_), false),
      requests_(static_cast<std::size_t>(count_), 0),
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
    arrived_.clear();
  }
  submitted_ = returned_ = turn_ = 0;
  ++epoch_;
  std::fill(ended_.begin(), ended_.end(), false);
  std::fill(requests_.begin(), requests_.end(), 0);
}

bool DataLoaderIterator::Workers::has_capacity(std::size_t worker) const {
  const auto active = std::count(ended_.begin(), ended_.end(), false);
  return in_order_ || requests_[worker] < max_requests_ / active;
}

bool DataLoaderIterator::Workers::submit(Indices indices) {
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

DataLoaderIterator::Workers::Result DataLoaderIterator::Workers::wait() {
  std::unique_lock lock(mutex_);
  const auto is_ready = [&] {
    return in_order_ ? results_.contains(returned_) : !arrived_.empty();
  };
  if (timeout_ == 0 || timeout_ > kMaxTimeout)
    state_changed_.wait(lock, is_ready);
  else if (!state_changed_.wait_for(lock, std::chrono::duration<double>(timeout_), is_ready))
    fail<RuntimeError>("DataLoader timed out after {} seconds", timeout_);
  std::size_t batch = returned_++;
  if (!in_order_) {
    batch = arrived_.front();
    arrived_.pop_front();
  }
  Result result = std::move(results_.extract(batch).mapped());
  --requests_[static_cast<std::size_t>(result.worker)];
  return result;
}

DataLoaderIterator::Workers::Result DataLoaderIterator::Workers::read(const Request& request,
                                                                      std::size_t& epoch,
                                                                      Fetch& fetch) const {
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
    if (!in_order_) arrived_.push_back(request.batch);
    state_changed_.notify_all();
  }
}

}  // namespace detail
}  // namespace taper::data
