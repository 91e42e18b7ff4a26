// StoreTable: keys, values and waiting requests of the store, without sockets.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dist/store/message.h"
#include "dist/store/socket.h"

namespace taper::distributed {

class StoreTable {
 public:
  StoreTable(std::string job, int size) : job_(std::move(job)), size_(size) {}

  /// Handles a message of a connection. Returns false if it does not follow the protocol.
  bool handle(std::uint64_t connection, std::string_view message);
  /// Forgets a connection. Its rank, if it takes part, has departed.
  void disconnect(std::uint64_t connection);
  /// Answers requests whose time is over.
  void expire();
  /// Returns the time until the next request expires, at most `limit`.
  int milliseconds_to_deadline(int limit) const;
  /// Returns the replies to a connection, which are removed.
  std::string take_replies(std::uint64_t connection);
  bool has_greeted(std::uint64_t connection) const { return peers_.contains(connection); }
  /// Returns the number of ranks other than 0 that take part.
  int num_others() const;

 private:
  struct ConnectedRank {
    int rank;
    bool is_observer;  ///< second connection of a rank
    bool takes_part;
  };
  struct Waiting {
    std::uint64_t connection;
    std::string key;
    StoreClock::time_point deadline;
  };
  bool greet(std::uint64_t connection, MessageReader& message);
  bool set(std::uint64_t connection, MessageReader& message);
  bool get(std::uint64_t connection, MessageReader& message);
  bool add(std::uint64_t connection, MessageReader& message);
  bool set_takes_part(std::uint64_t connection, bool takes_part);
  void store(const std::string& key, const std::string& value);
  void reply(std::uint64_t connection, StoreReply kind, std::string_view text);

  std::string job_;
  int size_;
  std::map<std::string, std::string> values_;
  std::map<std::uint64_t, ConnectedRank> peers_;  ///< connections that have greeted
  std::map<int, bool> departed_;                  ///< by rank
  std::vector<Waiting> waiting_;
  std::map<std::uint64_t, std::string> replies_;
};

}  // namespace taper::distributed
