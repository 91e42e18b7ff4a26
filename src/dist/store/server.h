// StoreServer: the key-value store of a job, in the process of rank 0.
#pragma once
#include <memory>
#include <string>

#include "dist/launch/launch.h"

namespace taper::distributed {

/// Serves a table of keys and values in a thread. It carries addresses and short texts, no tensor
/// data. A connection that does not follow the protocol is closed; other connections are not
/// affected.
class StoreServer {
 public:
  /// Listens for the `size` ranks of `job`. Throws DistributedError if the port is not available.
  StoreServer(const Endpoint& endpoint, const std::string& job, int size);
  /// Ends the thread and closes all connections.
  ~StoreServer();

  int port() const;
  /// Waits until no rank other than 0 takes part, at most `seconds`.
  void linger(double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taper::distributed
