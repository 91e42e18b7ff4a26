// ThreadHub: the state that the ranks of a group of threads share.
//
// Collectives are matched by their position in the sequence of calls of each rank. The last rank
// that calls a collective executes it on the buffers of all ranks; the others wait. No thread is
// started, and the order of summation does not depend on timing.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dist/reduction.h"

namespace taper::distributed {

enum class ThreadCallKind : std::uint8_t {
  all_reduce,
  reduce,
  reduce_scatter,
  broadcast,
  all_gather,
  gather,
  scatter,
  all_to_all,
  barrier
};

/// Arguments of a collective of one rank.
struct ThreadCall {
  ThreadCallKind kind = ThreadCallKind::barrier;
  const void* send = nullptr;
  void* receive = nullptr;
  std::vector<std::int64_t> send_counts{}, receive_counts{};
  DType dtype = DType::u8;
  taper_dist_op op = TAPER_DIST_SUM;
  int root = -1;

  /// Returns a description for messages: "broadcast of 3 float32 elements from rank 0".
  std::string str() const;
};

/// Message between two ranks. `source` is -1 for a receive from any rank.
struct ThreadMessage {
  void* buffer = nullptr;
  std::int64_t count = 0;
  DType dtype = DType::u8;
  int source = -1, destination = -1, tag = 0;
};

class ThreadHub {
 public:
  /// Operation of one rank: its part of a collective, or a message.
  struct Operation;

  ThreadHub(std::string key, int size, ReductionOrder order)
      : key_(std::move(key)),
        size_(size),
        order_(order),
        next_call_(static_cast<std::size_t>(size)) {}

  /// Starts the next collective of `rank`. Throws std::runtime_error if the group was aborted, or
  /// if the call does not match those of other ranks, which aborts it.
  std::shared_ptr<Operation> start(int rank, ThreadCall call);
  /// Starts a message of `rank`. Throws std::runtime_error if the group was aborted.
  std::shared_ptr<Operation> start_message(bool is_send, const ThreadMessage& message);
  /// Waits for at most `seconds`. Returns false if the operation is pending. Throws
  /// std::runtime_error if it failed.
  bool wait(Operation& operation, double seconds);
  /// Describes why an operation is pending.
  std::string pending(Operation& operation);
  /// Aborts the group if the operation is pending, and returns when its buffers are not in use.
  void cancel(Operation& operation);
  void abort(const std::string& reason);

  const std::string& key() const { return key_; }
  int size() const { return size_; }
  /// Returns the rank that sent the message of a completed receive; -1 for other operations.
  static int source_of(const Operation& operation);

 private:
  struct Collective;
  void check_alive() const;
  void execute(Collective& collective);
  void fail_all(const std::string& reason);
  std::string missing_ranks(const Collective& collective) const;

  std::string key_;
  int size_;
  ReductionOrder order_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string abort_reason_;
  bool is_aborted_ = false;
  std::vector<std::uint64_t> next_call_;  ///< per rank: number of collectives it has started
  std::map<std::uint64_t, std::shared_ptr<Collective>> collectives_;  ///< those not executed
  std::list<std::shared_ptr<Operation>> sends_, receives_;            ///< unmatched messages
};

/// Returns the hub of the group `key`, which the first of its ranks creates. Each rank joins once.
/// Throws std::runtime_error if the ranks do not agree on the size, or if a rank joins twice.
std::shared_ptr<ThreadHub> join_thread_hub(const std::string& key, int rank, int size,
                                           ReductionOrder order);
/// Aborts the groups whose key begins with `prefix`, including those that are created later.
void abort_thread_hubs(const std::string& prefix, const std::string& reason);
/// Removes the groups whose key begins with `prefix` from the registry. No rank may join them
/// afterward.
void remove_thread_hubs(const std::string& prefix);

/// Executes a collective, given the calls of all ranks. Throws std::runtime_error if they do not
/// match.
void execute_calls(const std::vector<ThreadCall>& calls, ReductionOrder order);
/// Returns a description of the difference between two calls that must match; empty if there is
/// none.
std::string call_difference(const ThreadCall& a, int rank_a, const ThreadCall& b, int rank_b);

}  // namespace taper::distributed
