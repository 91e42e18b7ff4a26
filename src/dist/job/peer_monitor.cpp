#include "dist/job/peer_monitor.h"

#include <algorithm>

#include "core/check.h"
#include "taper/dist/work.h"

namespace taper::distributed {
namespace {

/// Calls whose description is stored, so that ranks that are ahead can be compared.
constexpr std::size_t kStoredCalls = 64;
constexpr double kSecondsToAnswerInquiry = 2;
/// Time for the end of a process to arrive, after a connection between two ranks has ended.
constexpr double kSecondsToNoticeEnd = 1;
/// Number of the last call in a group that a rank has not created, or has left.
constexpr std::int64_t kUnknownGroup = -1;
constexpr double kForever = 3e7;

std::string list_ranks(const std::vector<int>& ranks, std::string_view one, std::string_view more) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i ? ", " : "") + std::to_string(ranks[i]);
  return text + " " + std::string(ranks.size() == 1 ? one : more);
}

/// Appends a part of a list of facts.
void append_fact(std::string& text, const std::string& fact) {
  text += (text.empty() ? "" : "; ") + fact;
}

}  // namespace

PeerMonitor::PeerMonitor(const Endpoint& endpoint, const Launch& launch,
                         std::shared_ptr<StoreClient> store, double seconds)
    : rank_(launch.rank),
      store_(std::move(store)),
      observer_(endpoint, launch, seconds, true),
      thread_([this] { answer_inquiries(); }) {}

PeerMonitor::~PeerMonitor() {
  observer_.shut_down();
  thread_.join();
}

void PeerMonitor::enter_group(const std::string& group) {
  const std::lock_guard lock(mutex_);
  positions_[group];
}

void PeerMonitor::record_call(const std::string& group, std::uint64_t number,
                              const CallText& call) {
  const std::lock_guard lock(mutex_);
  Position& position = positions_[group];
  position.number = number;
  position.calls.push_back(call);
  if (position.calls.size() > kStoredCalls) position.calls.pop_front();
}

void PeerMonitor::leave_group(const std::string& group) {
  const std::lock_guard lock(mutex_);
  positions_.erase(group);
}

std::string PeerMonitor::position_text(const std::string& group, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = positions_.find(group);
  MessageWriter text(0);
  if (found == positions_.end()) return text.number(kUnknownGroup).framed().substr(5);
  const Position& position = found->second;
  const std::uint64_t first = position.number + 1 - position.calls.size();
  const bool is_stored = number >= first && number <= position.number;
  const CallText call = is_stored ? position.calls[number - first] : CallText{};
  text.number(static_cast<std::int64_t>(position.number));
  text.string(call.signature).string(call.description);
  return text.framed().substr(5);
}

void PeerMonitor::answer_inquiries() {
  try {
    for (std::int64_t n = 1;; ++n) {
      const std::string inquiry =
          observer_.get(format_message("inquiry/{}", n), kForever).value_or("");
      MessageReader reader(inquiry);
      const auto group = reader.string();
      const auto number = reader.number();
      if (number)
        observer_.set(format_message("answer/{}/{}", n, rank_),
                      position_text(*group, static_cast<std::uint64_t>(*number)));
    }
  } catch (const Error&) {}  // the connection has ended
}

std::string PeerMonitor::Obstacles::text() const {
  std::string both = permanent;
  if (!temporary.empty()) append_fact(both, temporary);
  return both.empty() ? "all ranks have called it, but it has not finished" : both;
}

PeerMonitor::Obstacles PeerMonitor::find_obstacles(const std::string& group, std::uint64_t number,
                                                   const CallText& call,
                                                   const std::vector<int>& ranks) {
  std::vector<int> missing, ended, silent, left;
  Obstacles found;
  try {
    const std::int64_t n = store_->add("inquiries", 1);
    MessageWriter inquiry(0);
    inquiry.string(group).number(static_cast<std::int64_t>(number));
    store_->set(format_message("inquiry/{}", n), inquiry.framed().substr(5));
    const auto deadline = deadline_after(kSecondsToAnswerInquiry);
    const std::vector<int> departed = store_->departed();
    for (const int rank : ranks) {
      if (rank == rank_) continue;
      if (std::count(departed.begin(), departed.end(), rank)) {
        ended.push_back(rank);
        continue;
      }
      const double seconds = std::chrono::duration<double>(deadline - StoreClock::now()).count();
      const std::string answer =
          store_->get(format_message("answer/{}/{}", n, rank), std::max(seconds, 0.0)).value_or("");
      MessageReader reader(answer);
      const auto position = reader.number();
      const auto signature = reader.string(), description = reader.string();
      if (!position)
        silent.push_back(rank);
      else if (*position == kUnknownGroup)
        left.push_back(rank);
      else if (*position < static_cast<std::int64_t>(number))
        missing.push_back(rank);
      else if (description && !signature->empty() && *signature != call.signature)
        append_fact(found.permanent, format_message("rank {} called {}", rank, *description));
    }
  } catch (const DistributedError&) {
    found.permanent = store_->disconnect_reason();
    return found;
  }
  if (!ended.empty()) append_fact(found.permanent, list_ranks(ended, "has ended", "have ended"));
  if (!left.empty())
    append_fact(found.temporary, list_ranks(left, "has left the group", "have left the group"));
  if (!missing.empty())
    append_fact(found.temporary, list_ranks(missing, "has not called it", "have not called it"));
  if (!silent.empty())
    append_fact(found.temporary, list_ranks(silent, "does not answer", "do not answer"));
  return found;
}

std::string PeerMonitor::find_cause(const std::string& group, const std::vector<int>& ranks) {
  try {
    const auto deadline = deadline_after(kSecondsToNoticeEnd);
    while (true) {
      if (auto cause = store_->get("cause/" + group, 0)) return std::move(*cause);
      std::vector<int> ended;
      for (const int rank : store_->departed())
        if (std::count(ranks.begin(), ranks.end(), rank)) ended.push_back(rank);
      if (!ended.empty()) return list_ranks(ended, "has ended", "have ended");
      if (StoreClock::now() > deadline) return {};
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  } catch (const DistributedError&) { return store_->disconnect_reason(); }
}

void PeerMonitor::record_cause(const std::string& group, const std::string& reason) {
  try {
    if (store_->add("causes/" + group, 1) == 1) store_->set("cause/" + group, reason);
  } catch (const DistributedError&) {}  // rank 0 has ended, which all ranks notice
}

}  // namespace taper::distributed
