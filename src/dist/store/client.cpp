#include "dist/store/client.h"

#include <sys/socket.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <thread>

#include "core/check.h"
#include "taper/dist/work.h"

namespace taper::distributed {
namespace {

/// Time for an answer that the server need not wait for.
constexpr double kSecondsToAnswer = 5;

}  // namespace

StoreClient::StoreClient(const Endpoint& endpoint, const Launch& launch, double seconds,
                         bool is_observer)
    : endpoint_(endpoint) {
  greet(launch, is_observer, seconds);
}

void StoreClient::greet(const Launch& launch, bool is_observer, double seconds) {
  const auto deadline = deadline_after(seconds);
  MessageWriter hello(static_cast<std::uint8_t>(StoreRequest::hello));
  hello.string(kStoreMagic).string(launch.job).number(launch.rank).number(launch.size);
  hello.number(is_observer);
  std::string problem;
  while (true) {
    socket_ = connect_to(endpoint_, deadline);
    is_lost_ = false;
    try {
      const Reply reply = request(hello, std::min(deadline, deadline_after(kSecondsToAnswer)));
      if (reply.kind == StoreReply::ok) return;
      if (reply.kind == StoreReply::rejected)
        throw ValueError(format_message("{} (rank 0 is at {})", reply.text, endpoint_.str()));
      problem = format_message("it belongs to the job '{}', expected '{}'", reply.text, launch.job);
    } catch (const DistributedError& error) {
      // The server of an earlier attempt, which is about to end, or another program.
      problem = error.what();
    }
    const auto pause = std::chrono::milliseconds(50);
    if (StoreClock::now() + pause >= deadline)
      throw DistributedError(
          format_message("cannot use the store of rank 0 at {}: {}", endpoint_.str(), problem));
    std::this_thread::sleep_for(pause);
  }
}

void StoreClient::fail_connection(const std::string& why, bool is_closed) {
  is_lost_ = true, is_closed_ = is_closed;
  throw DistributedError(
      format_message("lost the connection to rank 0 at {}: {}", endpoint_.str(), why));
}

void StoreClient::send_all(std::string_view text, StoreClock::time_point deadline) {
  while (!text.empty()) {
    const ssize_t n = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (n >= 0)
      text.remove_prefix(static_cast<std::size_t>(n));
    else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for_socket(socket_, true, deadline))
        fail_connection("it does not accept requests", false);
    } else if (errno != EINTR)
      fail_connection(std::strerror(errno), true);
  }
}

std::string StoreClient::read_exactly(std::size_t size, StoreClock::time_point deadline) {
  std::string text(size, '\0');
  for (std::size_t at = 0; at < size;) {
    const ssize_t n = ::recv(socket_.get(), text.data() + at, size - at, 0);
    if (n > 0)
      at += static_cast<std::size_t>(n);
    else if (n == 0)
      fail_connection("it was closed", true);
    else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for_socket(socket_, false, deadline)) fail_connection("it does not answer", false);
    } else if (errno != EINTR)
      fail_connection(std::strerror(errno), true);
  }
  return text;
}

StoreClient::Reply StoreClient::request(const MessageWriter& message,
                                        StoreClock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  if (is_lost_) fail_connection("it was closed", is_closed_);
  send_all(message.framed(), deadline);
  const auto length = message_length(read_exactly(4, deadline));
  if (*length > kMaxStoreMessage) fail_connection("it is not the store of a job", false);
  const std::string text = read_exactly(*length, deadline);
  MessageReader reader(text);
  const auto kind = reader.kind();
  auto value = reader.string();
  if (!value || *kind > static_cast<std::uint8_t>(StoreReply::rejected))
    fail_connection("it is not the store of a job", false);
  return {static_cast<StoreReply>(*kind), std::move(*value)};
}

std::string StoreClient::exchange(const MessageWriter& message) {
  return request(message, deadline_after(kSecondsToAnswer)).text;
}

void StoreClient::set(const std::string& key, std::string_view value) {
  exchange(MessageWriter(static_cast<std::uint8_t>(StoreRequest::set)).string(key).string(value));
}

std::optional<std::string> StoreClient::get(const std::string& key, double seconds) {
  const double limit = std::min(seconds, 3e7);
  MessageWriter message(static_cast<std::uint8_t>(StoreRequest::get));
  message.string(key).number(static_cast<std::int64_t>(std::ceil(limit * 1000)));
  Reply reply = request(message, deadline_after(limit + kSecondsToAnswer));
  if (reply.kind != StoreReply::ok) return {};
  return std::move(reply.text);
}

std::int64_t StoreClient::add(const std::string& key, std::int64_t number) {
  const std::string sum = exchange(
      MessageWriter(static_cast<std::uint8_t>(StoreRequest::add)).string(key).number(number));
  return MessageReader(sum).number().value_or(0);
}

std::vector<int> StoreClient::departed() {
  const std::string text =
      exchange(MessageWriter(static_cast<std::uint8_t>(StoreRequest::departed)));
  std::vector<int> ranks;
  MessageReader reader(text);
  while (const auto rank = reader.number()) ranks.push_back(static_cast<int>(*rank));
  return ranks;
}

void StoreClient::set_takes_part(bool takes_part) {
  exchange(MessageWriter(
      static_cast<std::uint8_t>(takes_part ? StoreRequest::join : StoreRequest::leave)));
}

std::string StoreClient::disconnect_reason() const {
  return is_closed_ ? "rank 0 has ended" : "rank 0 does not answer";
}

void StoreClient::shut_down() { ::shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace taper::distributed
