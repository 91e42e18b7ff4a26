#include "dist_engines/mpi/work.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "dist_engines/mpi/call_thread.h"
#include "dist_engines/mpi/operations.h"

namespace taper::dist_engines {

void MpiGroup::abort(std::string reason) {
  const std::lock_guard lock(mutex_);
  if (is_aborted_) return;
  abort_reason_ = std::move(reason);
  is_aborted_ = true;
}

void MpiGroup::check_alive() const {
  if (is_aborted_) throw std::runtime_error(abort_reason_);
  MpiCalls::get().check_usable();
}

MpiWork::MpiWork(std::shared_ptr<MpiGroup> group, std::vector<Stage> stages, Kind kind)
    : group_(std::move(group)), kind_(kind), stages_(std::move(stages)) {
  group_->check_alive();
  const std::string error = MpiCalls::get().run([&] {
    if (kind_ == Kind::collective && !stages_.empty()) group_->unstarted.push_back(this);
    proceed();
    return error_;
  });
  if (!error.empty()) throw std::runtime_error(error);
}

MpiWork::~MpiWork() {
  if (is_done_) return;  // it has left the queue
  const bool has_failed = MpiCalls::get().run([&] {
    std::erase(group_->unstarted, this);
    return !error_.empty();
  });
  if (has_failed) return;
  group_->abort("a rank has released the group before its operations had completed");
  MpiCalls::get().give_up();
}

bool MpiWork::is_request_complete() {
  int is_complete = 1;
  if (request_ != MPI_REQUEST_NULL)
    check_mpi(MPI_Test(&request_, &is_complete, &status_), "MPI_Test");
  return is_complete != 0;
}

/// Starts stages until one is pending or fails. Returns true if none is left to start.
bool MpiWork::start_stages() {
  try {
    while (next_ < stages_.size()) {
      if (!is_request_complete()) return false;
      stages_[next_++](&request_);
    }
  } catch (const std::exception& e) { error_ = e.what(); }
  return true;
}

/// Starts stages of the collectives of the group, in their order.
void MpiWork::start_collectives() {
  auto& works = group_->unstarted;
  while (!works.empty() && works.front()->start_stages()) works.pop_front();
}

/// Starts stages and determines whether all have completed.
void MpiWork::proceed() {
  if (kind_ == Kind::collective)
    start_collectives();
  else
    start_stages();
  try {
    is_done_ = error_.empty() && next_ == stages_.size() && is_request_complete();
  } catch (const std::exception& e) { error_ = e.what(); }
}

bool MpiWork::advance() {
  const std::string error = MpiCalls::get().run([&] {
    proceed();
    return error_;
  });
  if (!error.empty()) throw std::runtime_error(error);
  return is_done_;
}

bool MpiWork::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  if (is_done_) return true;
  const auto begin = Clock::now();
  // MPI proceeds within its calls: a rank that sleeps delays the transfers of the others. After
  // kSpin, other processes may need the core; after kYield, a rank is late.
  constexpr std::chrono::microseconds kSpin(100), kYield(100'000);
  auto pause = std::chrono::microseconds(0);
  while (true) {
    group_->check_alive();
    if (advance()) return true;
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    if (elapsed.count() >= seconds) return false;
    if (elapsed < kYield) {
      if (elapsed > kSpin) sched_yield();
      continue;
    }
    pause = std::min(pause + std::chrono::microseconds(10), std::chrono::microseconds(500));
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace taper::dist_engines
