#include "data/batch_threads.h"

#include <chrono>
#include <utility>

#include "core/check.h"

namespace taper::data::detail {
namespace {
// Seconds that a duration can represent. Longer waits have no limit.
constexpr double kMaxTimeout = 1e9;
}  // namespace

void BatchThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  state_changed_.notify_all();
  for (std::thread& t : threads_) t.join();
  threads_.clear();
}

void BatchThreads::restart() {
  {
    std::unique_lock lock(mutex_);
    state_changed_.wait(lock, [&] { return results_.size() == submitted_ - returned_; });
    results_.clear();
    arrived_.clear();
  }
  submitted_ = returned_ = 0;
}

void BatchThreads::store(std::size_t batch, Result result) {
  results_.emplace(batch, std::move(result));
  if (!in_order_) arrived_.push_back(batch);
  state_changed_.notify_all();
}

BatchThreads::Result BatchThreads::wait() {
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
  return std::move(results_.extract(batch).mapped());
}

}  // namespace taper::data::detail
