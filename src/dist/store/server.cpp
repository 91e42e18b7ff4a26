#include "dist/store/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "dist/store/message.h"
#include "dist/store/socket.h"
#include "dist/store/table.h"

namespace taper::distributed {
namespace {

/// Time after which a connection without a valid greeting is closed.
constexpr double kSecondsToGreet = 10;

struct StoreConnection {
  Descriptor socket;
  std::uint64_t id;
  StoreClock::time_point greet_by = deadline_after(kSecondsToGreet);
  std::string input{}, output{};
  bool is_closed = false;
};

/// Reads the available bytes. Marks the connection as closed at its end or on an error.
void read_available(StoreConnection& connection) {
  char buffer[4096];
  while (true) {
    const ssize_t n = ::recv(connection.socket.get(), buffer, sizeof(buffer), 0);
    if (n > 0) {
      connection.input.append(buffer, static_cast<std::size_t>(n));
      if (connection.input.size() > kMaxStoreMessage) return;
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      connection.is_closed = n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
      return;
    }
  }
}

void write_available(StoreConnection& connection) {
  while (!connection.output.empty()) {
    const ssize_t n = ::send(connection.socket.get(), connection.output.data(),
                             connection.output.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      connection.output.erase(0, static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      connection.is_closed = errno != EAGAIN && errno != EWOULDBLOCK;
      return;
    }
  }
}

/// Removes the first message from `input`. Returns nullopt if it is not complete.
std::optional<std::string> take_message(StoreConnection& connection) {
  const auto length = message_length(connection.input);
  if (!length) return {};
  if (*length == 0 || *length > kMaxStoreMessage) {
    connection.is_closed = true;
    return {};
  }
  if (connection.input.size() < 4 + std::size_t{*length}) return {};
  std::string message = connection.input.substr(4, *length);
  connection.input.erase(0, 4 + std::size_t{*length});
  return message;
}

}  // namespace

struct StoreServer::Impl {
  Impl(const Endpoint& endpoint, const std::string& job, int size)
      : listener(listen_at(endpoint)), table(job, size) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0)
      wake_read = Descriptor(fds[0]), wake_write = Descriptor(fds[1]);
    thread = std::thread([this] { serve(); });
  }

  Descriptor listener, wake_read{}, wake_write{};
  StoreTable table;
  std::vector<StoreConnection> connections{};
  std::uint64_t next_id = 0;
  std::atomic<bool> is_stopping = false;
  std::atomic<int> num_others = 0;  ///< ranks other than 0 that take part
  std::thread thread{};

  void serve();
  void accept_all();
  void answer(StoreConnection& connection);
  void remove_closed();
  std::vector<pollfd> poll_entries() const;
};

std::vector<pollfd> StoreServer::Impl::poll_entries() const {
  std::vector<pollfd> entries = {{listener.get(), POLLIN, 0}, {wake_read.get(), POLLIN, 0}};
  for (const StoreConnection& c : connections)
    entries.push_back(
        {c.socket.get(), static_cast<short>(c.output.empty() ? POLLIN : POLLIN | POLLOUT), 0});
  return entries;
}

void StoreServer::Impl::accept_all() {
  while (true) {
    const int fd = ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    connections.push_back({.socket = Descriptor(fd), .id = next_id++});
  }
}

void StoreServer::Impl::answer(StoreConnection& connection) {
  while (!connection.is_closed) {
    const auto message = take_message(connection);
    if (!message) return;
    if (!table.handle(connection.id, *message)) connection.is_closed = true;
  }
}

void StoreServer::Impl::remove_closed() {
  for (StoreConnection& c : connections) {
    if (!c.is_closed && !table.has_greeted(c.id) && StoreClock::now() > c.greet_by)
      c.is_closed = true;
    if (c.is_closed) table.disconnect(c.id);
  }
  std::erase_if(connections, [](const StoreConnection& c) { return c.is_closed; });
  num_others = table.num_others();
}

void StoreServer::Impl::serve() {
  while (!is_stopping) {
    std::vector<pollfd> entries = poll_entries();
    ::poll(entries.data(), entries.size(), table.milliseconds_to_deadline(1000));
    for (std::size_t i = 2; i < entries.size(); ++i) {
      StoreConnection& connection = connections[i - 2];
      if (entries[i].revents & (POLLIN | POLLHUP | POLLERR)) read_available(connection);
      answer(connection);
    }
    if (entries[0].revents) accept_all();
    remove_closed();
    table.expire();
    for (StoreConnection& connection : connections) {
      connection.output += table.take_replies(connection.id);
      write_available(connection);
    }
    remove_closed();
  }
}

StoreServer::StoreServer(const Endpoint& endpoint, const std::string& job, int size)
    : impl_(std::make_unique<Impl>(endpoint, job, size)) {}

StoreServer::~StoreServer() {
  impl_->is_stopping = true;
  [[maybe_unused]] const ssize_t n = ::write(impl_->wake_write.get(), "", 1);
  impl_->thread.join();
}

int StoreServer::port() const { return port_of(impl_->listener); }

void StoreServer::linger(double seconds) {
  const auto deadline = deadline_after(seconds);
  while (impl_->num_others > 0 && StoreClock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace taper::distributed
