#include "dist_engines/gloo/message.h"

#include <algorithm>
#include <numeric>

#include "dist_engines/common/element_ranges.h"
#include "dist_engines/common/signature_hash.h"

namespace taper::dist_engines {
namespace {

/// First byte of the slots of messages.
constexpr std::uint64_t kMessagePrefix = std::uint64_t{0x41} << 56;

/// Ranks that expect different sizes wait for each other.
std::uint64_t slot_of_message(const MessageCall& call) {
  SignatureHash hash;
  hash.add(call.tag).add(call.count).add(static_cast<std::int64_t>(call.dtype));
  return kMessagePrefix | (hash.value() >> 8);
}

}  // namespace

GlooMessage::GlooMessage(std::shared_ptr<GlooGroup> group, const MessageCall& call)
    : group_(std::move(group)), call_(call) {
  const bool is_empty = call.count == 0;
  buffer_ = group_->context()->createUnboundBuffer(
      is_empty ? &empty_ : call.buffer,
      is_empty ? sizeof(empty_) : bytes_of(call.count, call.dtype));
  const std::uint64_t slot = slot_of_message(call);
  if (call.is_send) {
    buffer_->send(call.peer, slot);
  } else if (call.peer >= 0) {
    buffer_->recv(call.peer, slot);
  } else {
    std::vector<int> others;
    for (int r = 0; r < group_->size(); ++r)
      if (r != group_->rank()) others.push_back(r);
    buffer_->recv(others, slot);
  }
}

GlooMessage::~GlooMessage() {
  bool is_pending;
  {
    const std::lock_guard lock(mutex_);
    is_pending = state_ == State::waiting || state_ == State::timed_out;
  }
  if (is_pending)
    group_->abort("a rank has released the group before its operations had completed");
  if (waiter_.joinable()) waiter_.join();
}

GlooMessage::State GlooMessage::wait_in_gloo(std::chrono::milliseconds timeout) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    int source = -1;
    call_.is_send ? buffer_->waitSend(timeout) : buffer_->waitRecv(&source, timeout);
    if (!call_.is_send) source_ = source;
    return State::done;
  } catch (const std::exception& error) {
    const bool is_late = std::chrono::steady_clock::now() - begin >= timeout;
    error_ = text_of_gloo_error(error);
    try {
      group_->check_alive();
    } catch (const std::exception& reason) {
      error_ = reason.what();
      return State::failed;
    }
    return is_late ? State::timed_out : State::failed;
  }
}

bool GlooMessage::result() const {
  if (state_ == State::failed) throw std::runtime_error(error_);
  return state_ == State::done;
}

bool GlooMessage::wait(double seconds) {
  std::unique_lock lock(mutex_);
  if (state_ != State::waiting) return result();
  if (seconds > 0 && !waiter_.joinable()) {
    lock.unlock();
    const State state = wait_in_gloo(
        std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds * 1000, 1.0, 1e9))));
    lock.lock();
    state_ = state;
    return result();
  }
  if (!waiter_.joinable())
    waiter_ = std::thread([this] {
      const State state = wait_in_gloo(kNoGlooTimeout);
      const std::lock_guard guard(mutex_);
      state_ = state;
      finished_.notify_all();
    });
  if (seconds > 0)
    finished_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, 1e8)),
                       [&] { return state_ != State::waiting; });
  return result();
}

std::string GlooMessage::pending() const {
  if (call_.is_send) return "rank " + std::to_string(call_.peer) + " has not received it";
  return call_.peer < 0 ? "no rank has sent it"
                        : "rank " + std::to_string(call_.peer) + " has not sent it";
}

}  // namespace taper::dist_engines
