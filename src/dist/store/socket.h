// TCP sockets of the store.
#pragma once
#include <chrono>
#include <string>

#include "dist/launch/launch.h"

namespace taper::distributed {

/// Owner of a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  void close();

 private:
  int fd_;
};

using StoreClock = std::chrono::steady_clock;

/// Returns the time `seconds` from now; a large number is a year.
StoreClock::time_point deadline_after(double seconds);

/// Listens at a port of all addresses, or of the loopback interface only if the host is a loopback
/// address. Port 0 is any port. Throws DistributedError with the endpoint and the reason.
Descriptor listen_at(const Endpoint& endpoint);
/// Returns the port of a listening socket.
int port_of(const Descriptor& socket);
/// Returns a port of the loopback interface that is not in use. Throws DistributedError.
int find_free_port();
/// Connects, and tries again until the deadline while nothing listens there. Throws
/// DistributedError with the endpoint and the reason.
Descriptor connect_to(const Endpoint& endpoint, StoreClock::time_point deadline);
/// Returns the local address of a connection, such as "10.0.0.2".
std::string local_address(const Descriptor& socket);

/// Waits until a socket can be read (or written). Returns false after the deadline.
bool wait_for_socket(const Descriptor& socket, bool write, StoreClock::time_point deadline);

}  // namespace taper::distributed
