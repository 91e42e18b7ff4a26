// GlooMessage: a message between two ranks of a group.
#pragma once
#include <gloo/transport/unbound_buffer.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "dist_engines/gloo/group.h"

namespace taper::dist_engines {

/// Arguments of a message. `peer` is -1 for a receive from any rank.
struct MessageCall {
  bool is_send;
  void* buffer;
  std::int64_t count;
  DType dtype;
  int peer, tag;
};

class GlooMessage {
 public:
  /// Starts it. Throws std::exception if the group was aborted.
  GlooMessage(std::shared_ptr<GlooGroup> group, const MessageCall& call);
  /// Aborts the group if the message is pending.
  ~GlooMessage();

  /// Waits for at most `seconds`; 0 tests it. Returns false if it is pending. Throws
  /// std::runtime_error if it has failed.
  bool wait(double seconds);
  /// Returns the rank that sent what a completed receive stored; -1 for others.
  int source() const { return source_; }
  /// Returns what a pending message waits for.
  std::string pending() const;

 private:
  enum class State : std::uint8_t { waiting, timed_out, done, failed };
  State wait_in_gloo(std::chrono::milliseconds timeout);
  bool result() const;

  std::shared_ptr<GlooGroup> group_;
  MessageCall call_;
  char empty_ = 0;  ///< sent instead of no elements
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  State state_ = State::waiting;
  std::string error_{};
  int source_ = -1;
  // A test does not wait, but Gloo cannot test: a thread waits after the first test.
  std::mutex mutex_;
  std::condition_variable finished_;
  std::thread waiter_;
};

}  // namespace taper::dist_engines
