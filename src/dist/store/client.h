// StoreClient: the connection of a rank to the key-value store of its job.
#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dist/launch/launch.h"
#include "dist/store/message.h"
#include "dist/store/socket.h"

namespace taper::distributed {

/// Connection of a rank to the store of keys and values. Requests throw DistributedError if the
/// connection to rank 0 was lost. Those of several threads are made one after the other.
class StoreClient {
 public:
  /// Connects to the server, and waits for it at most `seconds`. An observer is a second connection
  /// of a rank. Throws DistributedError, with the endpoint and the reason, if it cannot be
  /// reached, ValueError if it rejects the rank.
  StoreClient(const Endpoint& endpoint, const Launch& launch, double seconds,
              bool is_observer = false);

  void set(const std::string& key, std::string_view value);
  /// Waits until `key` exists and returns its value; nullopt if it does not exist after `seconds`.
  std::optional<std::string> get(const std::string& key, double seconds);
  /// Adds to a number, 0 at first, and returns the sum.
  std::int64_t add(const std::string& key, std::int64_t number);
  /// Returns the ranks that have ended without `leave`, in ascending order.
  std::vector<int> departed();
  /// Specifies whether the end of this process is a failure of the job.
  void set_takes_part(bool takes_part);
  /// Returns the local address of the connection, such as "127.0.0.1".
  std::string address() const { return local_address(socket_); }
  /// Returns why the connection was lost: "rank 0 has ended" or "rank 0 does not answer".
  std::string disconnect_reason() const;
  /// Ends the connection: a call in another thread fails.
  void shut_down();

 private:
  struct Reply {
    StoreReply kind;
    std::string text;
  };
  void greet(const Launch& launch, bool is_observer, double seconds);
  Reply request(const MessageWriter& message, StoreClock::time_point deadline);
  std::string exchange(const MessageWriter& message);
  void send_all(std::string_view text, StoreClock::time_point deadline);
  std::string read_exactly(std::size_t size, StoreClock::time_point deadline);
  [[noreturn]] void fail_connection(const std::string& why, bool is_closed);

  Endpoint endpoint_;
  Descriptor socket_;
  std::mutex mutex_;
  bool is_lost_ = false, is_closed_ = false;
};

}  // namespace taper::distributed
