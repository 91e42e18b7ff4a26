#include "dist/store/socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "core/check.h"
#include "taper/dist/work.h"

namespace taper::distributed {
namespace {

struct AddressListDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListDeleter>;

/// Returns the addresses of an endpoint. Returns null with the reason if there are none.
AddressList resolve_endpoint(const Endpoint& endpoint, bool passive, std::string& problem) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC, hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0);
  addrinfo* list = nullptr;
  const int error = getaddrinfo(endpoint.host.empty() ? nullptr : endpoint.host.c_str(),
                                std::to_string(endpoint.port).c_str(), &hints, &list);
  if (error != 0) problem = gai_strerror(error);
  return AddressList(error == 0 ? list : nullptr);
}

void set_option(const Descriptor& socket, int level, int name, int value) {
  setsockopt(socket.get(), level, name, &value, sizeof(value));
}

/// Messages are small, and a machine that disappears must be noticed.
void set_connection_options(const Descriptor& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host.starts_with("127.") || host == "::1";
}

/// Returns a connection to one address. Returns none with the reason if that fails.
Descriptor connect_once(const addrinfo& address, StoreClock::time_point deadline,
                        std::string& problem) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int error = 0;
  if (socket.get() < 0 || ::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0)
    error = errno;
  if (error == EINPROGRESS) {
    error = ETIMEDOUT;
    if (wait_for_socket(socket, true, deadline)) {
      socklen_t size = sizeof(error);
      getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  if (error == 0) return socket;
  problem = std::strerror(error);
  return Descriptor();
}

}  // namespace

void Descriptor::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

StoreClock::time_point deadline_after(double seconds) {
  return StoreClock::now() + std::chrono::duration_cast<StoreClock::duration>(
                                 std::chrono::duration<double>(std::min(seconds, 3e7)));
}

bool wait_for_socket(const Descriptor& socket, bool write, StoreClock::time_point deadline) {
  pollfd entry{socket.get(), static_cast<short>(write ? POLLOUT : POLLIN), 0};
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - StoreClock::now()).count();
    const int ready = ::poll(&entry, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000)));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    if (left <= 0) return false;
  }
}

Descriptor listen_at(const Endpoint& endpoint) {
  // Other names of this machine may resolve to an address that it does not have.
  const Endpoint bound{is_loopback(endpoint.host) ? endpoint.host : "", endpoint.port};
  std::string problem = "unknown host";
  const AddressList list = resolve_endpoint(bound, true, problem);
  // IPv6 first, which accepts IPv4 as well.
  for (const int family : {AF_INET6, AF_INET})
    for (const addrinfo* a = list.get(); a; a = a->ai_next) {
      if (a->ai_family != family) continue;
      Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (socket.get() < 0) {
        problem = std::strerror(errno);
        continue;
      }
      set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
      if (family == AF_INET6) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
      if (::bind(socket.get(), a->ai_addr, a->ai_addrlen) == 0 && ::listen(socket.get(), 4096) == 0)
        return socket;
      problem = std::strerror(errno);
    }
  throw DistributedError(format_message("rank 0 cannot listen at {}: {}", endpoint.str(), problem));
}

int port_of(const Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  // The port has the same offset in addresses of both families.
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

int find_free_port() { return port_of(listen_at({.host = "127.0.0.1"})); }

Descriptor connect_to(const Endpoint& endpoint, StoreClock::time_point deadline) {
  std::string problem = "unknown host";
  auto pause = std::chrono::milliseconds(5);
  while (true) {
    if (const AddressList list = resolve_endpoint(endpoint, false, problem))
      for (const addrinfo* a = list.get(); a; a = a->ai_next) {
        Descriptor socket = connect_once(*a, deadline, problem);
        if (socket.get() < 0) continue;
        set_connection_options(socket);
        return socket;
      }
    if (StoreClock::now() + pause >= deadline) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(200));
  }
  throw DistributedError(
      format_message("cannot connect to rank 0 at {}: {}", endpoint.str(), problem));
}

std::string local_address(const Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  char host[NI_MAXHOST] = "";
  getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host, sizeof(host), nullptr, 0,
              NI_NUMERICHOST);
  const std::string_view text = host;
  constexpr std::string_view kMapped = "::ffff:";  // of an IPv4 address on a socket of IPv6
  return std::string(text.starts_with(kMapped) ? text.substr(kMapped.size()) : text);
}

}  // namespace taper::distributed
