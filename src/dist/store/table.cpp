#include "dist/store/table.h"

#include <algorithm>

#include "core/check.h"

namespace taper::distributed {

void StoreTable::reply(std::uint64_t connection, StoreReply kind, std::string_view text) {
  replies_[connection] += MessageWriter(static_cast<std::uint8_t>(kind)).string(text).framed();
}

std::string StoreTable::take_replies(std::uint64_t connection) {
  const auto found = replies_.find(connection);
  if (found == replies_.end()) return {};
  std::string text = std::move(found->second);
  replies_.erase(found);
  return text;
}

bool StoreTable::greet(std::uint64_t connection, MessageReader& message) {
  const auto magic = message.string(), job = message.string();
  const auto rank = message.number(), size = message.number(), is_observer = message.number();
  if (!is_observer || *magic != kStoreMagic || has_greeted(connection)) return false;
  if (*job != job_) {
    reply(connection, StoreReply::other_job, job_);
    return true;
  }
  std::string problem;
  if (*size != size_)
    problem =
        format_message("rank {} expects a job of {} ranks, rank 0 one of {}", *rank, *size, size_);
  else if (*rank < 0 || *rank >= size_)
    problem = format_message("rank {} does not exist in a job of {} ranks", *rank, size_);
  for (const auto& [other, peer] : peers_)
    if (peer.rank == *rank && !peer.is_observer && !*is_observer)
      problem = format_message("two processes have rank {}", *rank);
  if (!problem.empty()) {
    reply(connection, StoreReply::rejected, problem);
    return true;
  }
  peers_[connection] = {static_cast<int>(*rank), *is_observer != 0, *is_observer == 0};
  if (!*is_observer) departed_.erase(static_cast<int>(*rank));
  reply(connection, StoreReply::ok, "");
  return true;
}

void StoreTable::store(const std::string& key, const std::string& value) {
  values_[key] = value;
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.key != key) return false;
    reply(waiting.connection, StoreReply::ok, value);
    return true;
  });
}

bool StoreTable::set(std::uint64_t connection, MessageReader& message) {
  const auto key = message.string(), value = message.string();
  if (!value) return false;
  store(*key, *value);
  reply(connection, StoreReply::ok, "");
  return true;
}

bool StoreTable::get(std::uint64_t connection, MessageReader& message) {
  const auto key = message.string();
  const auto milliseconds = message.number();
  if (!milliseconds) return false;
  if (const auto found = values_.find(*key); found != values_.end())
    reply(connection, StoreReply::ok, found->second);
  else
    waiting_.push_back(
        {connection, *key,
         deadline_after(static_cast<double>(std::max<std::int64_t>(*milliseconds, 0)) / 1000)});
  return true;
}

bool StoreTable::add(std::uint64_t connection, MessageReader& message) {
  const auto key = message.string();
  const auto number = message.number();
  if (!number) return false;
  const auto found = values_.find(*key);
  MessageReader stored(found == values_.end() ? std::string_view() : found->second);
  const auto before = static_cast<std::uint64_t>(stored.number().value_or(0));
  const auto sum = static_cast<std::int64_t>(before + static_cast<std::uint64_t>(*number));
  // The value is a number as in messages: without the length and the kind.
  store(*key, MessageWriter(0).number(sum).framed().substr(5));
  reply(connection, StoreReply::ok, values_[*key]);
  return true;
}

bool StoreTable::set_takes_part(std::uint64_t connection, bool takes_part) {
  peers_[connection].takes_part = takes_part;
  reply(connection, StoreReply::ok, "");
  return true;
}

bool StoreTable::handle(std::uint64_t connection, std::string_view text) {
  MessageReader message(text);
  const auto kind = static_cast<StoreRequest>(message.kind().value_or(255));
  if (kind == StoreRequest::hello) return greet(connection, message);
  if (!has_greeted(connection)) return false;
  switch (kind) {
    case StoreRequest::set: return set(connection, message);
    case StoreRequest::get: return get(connection, message);
    case StoreRequest::add: return add(connection, message);
    case StoreRequest::leave: return set_takes_part(connection, false);
    case StoreRequest::join: return set_takes_part(connection, true);
    case StoreRequest::departed: {
      MessageWriter ranks(0);
      for (const auto& [rank, is_departed] : departed_) ranks.number(rank);
      reply(connection, StoreReply::ok, ranks.framed().substr(5));
      return true;
    }
    default: return false;
  }
}

void StoreTable::disconnect(std::uint64_t connection) {
  const auto found = peers_.find(connection);
  if (found != peers_.end()) {
    if (found->second.takes_part) departed_[found->second.rank] = true;
    peers_.erase(found);
  }
  replies_.erase(connection);
  std::erase_if(waiting_, [&](const Waiting& w) { return w.connection == connection; });
}

void StoreTable::expire() {
  const auto now = StoreClock::now();
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (now < waiting.deadline) return false;
    reply(waiting.connection, StoreReply::timed_out, "");
    return true;
  });
}

int StoreTable::milliseconds_to_deadline(int limit) const {
  const auto now = StoreClock::now();
  for (const Waiting& waiting : waiting_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(waiting.deadline - now).count();
    limit = static_cast<int>(std::clamp<std::int64_t>(left, 0, limit));
  }
  return limit;
}

int StoreTable::num_others() const {
  return static_cast<int>(std::count_if(peers_.begin(), peers_.end(), [](const auto& entry) {
    return entry.second.takes_part && entry.second.rank != 0;
  }));
}

}  // namespace taper::distributed
