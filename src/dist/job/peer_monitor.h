// PeerMonitor: finds out which ranks of other processes caused a timeout or a failure.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dist/store/client.h"

namespace taper::distributed {

/// A call of a collective as text.
struct CallText {
  std::string signature{};    ///< what must be equal on all ranks
  std::string description{};  ///< with shapes or names of parameters
};

/// Stores the position of this rank in the sequence of collectives of each group, and answers
/// inquiries of other ranks about it in a thread. Nothing is sent unless a collective fails.
class PeerMonitor {
 public:
  /// Connects to the store a second time. Throws the errors of StoreClient.
  PeerMonitor(const Endpoint& endpoint, const Launch& launch, std::shared_ptr<StoreClient> store,
              double seconds);
  ~PeerMonitor();

  void enter_group(const std::string& group);
  void leave_group(const std::string& group);
  /// Records that this rank has started a collective of a group, the first of which has number 1.
  void record_call(const std::string& group, std::uint64_t number, const CallText& call);

  /// What other ranks do instead of completing a collective.
  struct Obstacles {
    std::string permanent{};  ///< "rank 2 has ended; rank 3 called barrier"
    std::string temporary{};  ///< "rank 1 has not called it"

    /// Returns both.
    std::string text() const;
  };
  /// Asks the other ranks (global numbers) about a collective. Takes at most two seconds.
  Obstacles find_obstacles(const std::string& group, std::uint64_t number, const CallText& call,
                           const std::vector<int>& ranks);
  /// Returns why a group has failed: the reason of the first rank that aborted it, or the ranks
  /// that have ended. Empty if that is not known.
  std::string find_cause(const std::string& group, const std::vector<int>& ranks);
  /// Makes `reason` the cause of the failure of a group, unless there is one.
  void record_cause(const std::string& group, const std::string& reason);

 private:
  struct Position {
    std::uint64_t number = 0;
    std::deque<CallText> calls{};  ///< the last ones, up to `number`
  };
  void answer_inquiries();
  std::string position_text(const std::string& group, std::uint64_t number);

  int rank_;
  std::shared_ptr<StoreClient> store_;
  StoreClient observer_;
  std::mutex mutex_;
  std::map<std::string, Position> positions_;
  std::thread thread_;
};

}  // namespace taper::distributed
