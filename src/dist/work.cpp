#include "taper/dist/work.h"

#include <algorithm>

#include "dist/work_state.h"

namespace taper::distributed {
namespace {

/// Time after which a collective that is pending is examined: whether it can complete.
constexpr double kSecondsToInquiry = 5;

double seconds_until(Work::State::Clock::time_point deadline) {
  return std::chrono::duration<double>(deadline - Work::State::Clock::now()).count();
}

}  // namespace

void Work::State::release() {
  if (!work) return;
  engine->release(work);
  work = nullptr;
  tensors.clear();
}

void Work::State::cancel(const std::string& reason) {
  if (!work) return;
  error = description + ": " + reason;
  finish.clear();
  release();
}

void Work::State::throw_error() const {
  if (!error.empty()) throw DistributedError(error);
}

Interval Work::State::interval() const {
  std::int64_t begin = 0, end = 0;
  if (engine->times) engine->times(work, &begin, &end);
  const auto point = [](std::int64_t time) {
    return Clock::time_point(std::chrono::nanoseconds(time));
  };
  return {.thread = engine->name,
          .name = format_message("{}:{}", engine->name, name),
          .start = end > 0 ? point(begin) : start,
          .end = end > 0 ? point(end) : Clock::now()};
}

std::string Work::State::reason_of_failure() const {
  const std::string reason = engine->explain();
  const auto owner = group.lock();
  return owner ? owner->handle_failure(reason) : reason;
}

bool Work::State::poll(double seconds) {
  if (!work) return true;
  const taper_dist_status status = engine->wait(work, seconds);
  if (status == TAPER_DIST_TIMED_OUT) return false;
  if (status == TAPER_DIST_OK) {
    source = engine->source(work);
    observe_interval([this] { return interval(); });
  } else {
    error = description + ": " + reason_of_failure();
  }
  std::vector<SharedFunction<void()>> actions;
  actions.swap(finish);
  const std::vector<Tensor> kept = std::move(tensors);  // until the actions have run
  release();
  if (error.empty())
    for (const auto& action : actions) action();
  return true;
}

bool Work::State::poll_with_inquiries(double seconds) {
  const auto owner = group.lock();
  double interval = kSecondsToInquiry;
  while (owner && number > 0 && seconds > interval) {
    if (poll(interval)) return true;
    seconds -= interval;
    interval *= 2;
    const std::string obstacle = owner->find_obstacle(number, call);
    if (obstacle.empty()) continue;
    owner->abort(description + ": " + obstacle);
    cancel(obstacle);
    return true;
  }
  return poll(seconds);
}

void Work::State::wait_for(double seconds, Timeout limit) {
  if (!poll_with_inquiries(std::max(seconds, 0.0))) {
    const auto owner = group.lock();
    const std::string missing =
        owner ? owner->describe_missing(work, number, call) : engine->pending(work);
    // The collective may have completed in the meantime.
    if (!poll(0)) {
      const std::string reason = format_message("timed out after {} s: {}", limit.count(), missing);
      const std::string text = description + ": " + reason;
      if (owner) owner->abort(text);
      cancel(reason);
    }
  }
  throw_error();
}

void Work::wait() const {
  if (!state_) return;
  if (state_->is_pending())
    state_->wait_for(seconds_until(state_->deadline), state_->timeout);
  else
    state_->throw_error();
}

void Work::wait(Timeout timeout) const {
  if (!state_) return;
  if (state_->is_pending())
    state_->wait_for(timeout.count(), timeout);
  else
    state_->throw_error();
}

bool Work::is_completed() const { return !state_ || state_->poll(0); }

bool Work::is_success() const { return is_completed() && error().empty(); }

std::string Work::error() const { return state_ ? state_->error : std::string(); }

int Work::source_rank() const { return state_ ? state_->source : -1; }

Work Work::then(SharedFunction<void()> f) const {
  if (state_ && state_->is_pending())
    state_->finish.push_back(std::move(f));
  else if (error().empty())
    f();
  return *this;
}

}  // namespace taper::distributed
