#include "dist/thread_hub.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "core/never_destroyed.h"

namespace taper::distributed {
namespace {

enum class OperationState : std::uint8_t { waiting, executing, done, failed };

std::string rank_list(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i ? ", " : "") + std::to_string(ranks[i]);
  return text;
}

}  // namespace

/// A collective of all ranks.
struct ThreadHub::Collective {
  std::vector<ThreadCall> calls;
  std::vector<bool> has_called;
  int called = 0;
  OperationState state = OperationState::waiting;
  std::string error{};
};

struct ThreadHub::Operation {
  std::shared_ptr<Collective> collective{};  ///< null for a message
  ThreadMessage message{};
  bool is_send = false;
  OperationState message_state = OperationState::waiting;
  std::string message_error{};

  OperationState state() const { return collective ? collective->state : message_state; }
  const std::string& error() const { return collective ? collective->error : message_error; }
};

void ThreadHub::check_alive() const {
  if (is_aborted_) throw std::runtime_error(abort_reason_);
}

std::shared_ptr<ThreadHub::Operation> ThreadHub::start(int rank, ThreadCall call) {
  const auto index = static_cast<std::size_t>(rank);
  auto operation = std::make_shared<Operation>();
  std::unique_lock lock(mutex_);
  check_alive();
  const std::uint64_t sequence = next_call_[index]++;
  std::shared_ptr<Collective>& entry = collectives_[sequence];
  if (!entry) {
    entry = std::make_shared<Collective>();
    entry->calls.resize(static_cast<std::size_t>(size_));
    entry->has_called.resize(static_cast<std::size_t>(size_));
  }
  const std::shared_ptr<Collective> collective = entry;
  operation->collective = collective;
  for (std::size_t r = 0; r < collective->calls.size(); ++r) {
    if (!collective->has_called[r]) continue;
    const std::string difference =
        call_difference(collective->calls[r], static_cast<int>(r), call, rank);
    if (difference.empty()) break;
    fail_all(difference + " (call " + std::to_string(sequence) + " of the group)");
    check_alive();
  }
  collective->calls[index] = std::move(call);
  collective->has_called[index] = true;
  if (++collective->called < size_) return operation;
  collectives_.erase(sequence);
  collective->state = OperationState::executing;
  lock.unlock();
  execute(*collective);
  return operation;
}

void ThreadHub::execute(Collective& collective) {
  std::string error;
  try {
    execute_calls(collective.calls, order_);
  } catch (const std::exception& e) { error = e.what(); }
  const std::lock_guard lock(mutex_);
  collective.error = error;
  collective.state = error.empty() ? OperationState::done : OperationState::failed;
  if (!error.empty()) fail_all(error);
  changed_.notify_all();
}

std::shared_ptr<ThreadHub::Operation> ThreadHub::start_message(bool is_send,
                                                               const ThreadMessage& message) {
  auto operation = std::make_shared<Operation>();
  operation->message = message, operation->is_send = is_send;
  const std::lock_guard lock(mutex_);
  check_alive();
  auto& others = is_send ? receives_ : sends_;
  const auto matches = [&](const std::shared_ptr<Operation>& other) {
    const ThreadMessage &sent = is_send ? message : other->message,
                        &received = is_send ? other->message : message;
    return sent.destination == received.destination && sent.tag == received.tag &&
           (received.source == -1 || received.source == sent.source);
  };
  const auto found = std::find_if(others.begin(), others.end(), matches);
  if (found == others.end()) {
    (is_send ? sends_ : receives_).push_back(operation);
    return operation;
  }
  const std::shared_ptr<Operation> other = *found;
  others.erase(found);
  Operation &sent = is_send ? *operation : *other, &received = is_send ? *other : *operation;
  const std::size_t bytes =
      static_cast<std::size_t>(sent.message.count) * size_of(sent.message.dtype);
  const bool fits =
      sent.message.count == received.message.count && sent.message.dtype == received.message.dtype;
  if (fits && bytes > 0) std::memcpy(received.message.buffer, sent.message.buffer, bytes);
  received.message.source = sent.message.source;
  for (Operation* end : {&sent, &received}) {
    end->message_state = fits ? OperationState::done : OperationState::failed;
    if (!fits)
      end->message_error = "mismatch: rank " + std::to_string(sent.message.source) + " sent " +
                           std::to_string(sent.message.count) + " " +
                           std::string(name_of(sent.message.dtype)) + " elements, rank " +
                           std::to_string(received.message.destination) + " expected " +
                           std::to_string(received.message.count) + " " +
                           std::string(name_of(received.message.dtype));
  }
  changed_.notify_all();
  return operation;
}

bool ThreadHub::wait(Operation& operation, double seconds) {
  std::unique_lock lock(mutex_);
  const auto is_finished = [&] {
    return operation.state() == OperationState::done || operation.state() == OperationState::failed;
  };
  if (seconds > 0) {
    // A timeout of centuries would overflow the clock.
    const auto timeout = std::chrono::duration<double>(std::min(seconds, 1e8));
    changed_.wait_for(lock, timeout, is_finished);
  }
  if (seconds > 0 && operation.state() == OperationState::executing)
    changed_.wait(lock, is_finished);
  if (!is_finished()) return false;
  if (operation.state() == OperationState::failed) throw std::runtime_error(operation.error());
  return true;
}

std::string ThreadHub::missing_ranks(const Collective& collective) const {
  std::vector<int> missing;
  for (int r = 0; r < size_; ++r)
    if (!collective.has_called[static_cast<std::size_t>(r)]) missing.push_back(r);
  if (missing.empty()) return "its execution has not finished";
  return rank_list(missing) + (missing.size() == 1 ? " has" : " have") + " not called it";
}

std::string ThreadHub::pending(Operation& operation) {
  const std::lock_guard lock(mutex_);
  if (operation.collective) return missing_ranks(*operation.collective);
  const ThreadMessage& m = operation.message;
  if (operation.is_send) return "rank " + std::to_string(m.destination) + " has not received it";
  return m.source < 0 ? "no rank has sent it"
                      : "rank " + std::to_string(m.source) + " has not sent it";
}

void ThreadHub::fail_all(const std::string& reason) {
  if (is_aborted_) return;
  is_aborted_ = true;
  abort_reason_ = reason;
  for (const auto& [sequence, collective] : collectives_) {
    collective->state = OperationState::failed;
    collective->error = reason;
  }
  collectives_.clear();
  for (auto* list : {&sends_, &receives_}) {
    for (const auto& operation : *list) {
      operation->message_state = OperationState::failed;
      operation->message_error = reason;
    }
    list->clear();
  }
  changed_.notify_all();
}

void ThreadHub::abort(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  fail_all(reason);
}

void ThreadHub::cancel(Operation& operation) {
  std::unique_lock lock(mutex_);
  if (operation.state() == OperationState::waiting)
    fail_all("a rank has released the group before its operations had completed");
  changed_.wait(lock, [&] { return operation.state() != OperationState::executing; });
}

int ThreadHub::source_of(const Operation& operation) {
  return operation.collective || operation.is_send ? -1 : operation.message.source;
}

namespace {

/// Groups of threads by key, until they are removed.
struct HubRegistry {
  struct Entry {
    std::shared_ptr<ThreadHub> joining;  ///< null after all ranks have joined
    std::weak_ptr<ThreadHub> hub;
    std::vector<bool> has_joined;
  };
  std::mutex mutex;
  std::map<std::string, Entry> entries;
  std::map<std::string, std::string> aborted;  ///< reasons by prefix
};

HubRegistry& hub_registry() {
  static NeverDestroyed<HubRegistry> registry;
  return *registry;
}

}  // namespace

std::shared_ptr<ThreadHub> join_thread_hub(const std::string& key, int rank, int size,
                                           ReductionOrder order) {
  HubRegistry& registry = hub_registry();
  const std::lock_guard lock(registry.mutex);
  HubRegistry::Entry& entry = registry.entries[key];
  if (entry.has_joined.empty()) {
    entry.joining = std::make_shared<ThreadHub>(key, size, order);
    entry.hub = entry.joining;
    entry.has_joined.resize(static_cast<std::size_t>(size));
    for (const auto& [prefix, reason] : registry.aborted)
      if (key.starts_with(prefix)) entry.joining->abort(reason);
  }
  if (entry.has_joined.size() != static_cast<std::size_t>(size))
    throw std::runtime_error("rank " + std::to_string(rank) + " expected a group of " +
                             std::to_string(size) + " ranks, another rank one of " +
                             std::to_string(entry.has_joined.size()));
  if (entry.has_joined[static_cast<std::size_t>(rank)])
    throw std::runtime_error("rank " + std::to_string(rank) + " has already joined the group");
  entry.has_joined[static_cast<std::size_t>(rank)] = true;
  const std::shared_ptr<ThreadHub> hub = entry.joining;
  if (std::all_of(entry.has_joined.begin(), entry.has_joined.end(), [](bool b) { return b; }))
    entry.joining = nullptr;
  return hub;
}

void abort_thread_hubs(const std::string& prefix, const std::string& reason) {
  HubRegistry& registry = hub_registry();
  const std::lock_guard lock(registry.mutex);
  registry.aborted.try_emplace(prefix, reason);
  for (auto& [key, entry] : registry.entries)
    if (key.starts_with(prefix))
      if (const auto hub = entry.hub.lock()) hub->abort(reason);
}

void remove_thread_hubs(const std::string& prefix) {
  HubRegistry& registry = hub_registry();
  const std::lock_guard lock(registry.mutex);
  registry.aborted.erase(prefix);
  std::erase_if(registry.entries,
                [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

}  // namespace taper::distributed
