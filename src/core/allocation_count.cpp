#include "core/allocation_count.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace taper::allocation_count {
namespace {

constexpr std::int64_t kCarry = 1 << 20;
constexpr auto kRelaxed = std::memory_order_relaxed;

/// Written by its own thread alone, read by all.
struct Ledger {
  std::atomic<std::int64_t> held{0}, high{0};  ///< since the account was last brought up to date
  std::atomic<std::uint64_t> requests{0};
  bool open = false, closed = false;
};
// Trivially destructible, so that memory freed while a thread ends is still counted.
constinit thread_local Ledger own{};

struct Account {
  std::mutex mutex;
  std::vector<Ledger*> ledgers;
  std::int64_t held = 0, peak = 0;
  std::uint64_t requests = 0;

  void settle(Ledger& l) {
    peak = std::max(peak, held + l.high.load(kRelaxed));
    held += l.held.load(kRelaxed);
    requests += l.requests.load(kRelaxed);
    l.held.store(0, kRelaxed), l.high.store(0, kRelaxed), l.requests.store(0, kRelaxed);
  }
  std::int64_t held_by_all() const {
    std::int64_t sum = held;
    for (const Ledger* l : ledgers) sum += l->held.load(kRelaxed);
    return sum;
  }
};
Account& account() {
  static Account* a = new Account;  // never destroyed: tensors may outlive static destruction
  return *a;
}

struct Closer {
  ~Closer() {
    Account& a = account();
    std::lock_guard lock(a.mutex);
    a.settle(own);
    std::erase(a.ledgers, &own);
    own.open = false, own.closed = true;
  }
};

[[gnu::noinline]] void settle_own() {
  Account& a = account();
  std::lock_guard lock(a.mutex);
  a.settle(own);
  if (own.open || own.closed) return;
  a.ledgers.push_back(&own);
  own.open = true;
  thread_local Closer closer;
  static_cast<void>(closer);
}

void change(std::int64_t by, std::uint64_t requests) noexcept {
  const std::int64_t held = own.held.load(kRelaxed) + by;
  own.held.store(held, kRelaxed);
  if (requests) own.requests.store(own.requests.load(kRelaxed) + requests, kRelaxed);
  if (held > own.high.load(kRelaxed)) own.high.store(held, kRelaxed);
  if (held > kCarry || held < -kCarry || !own.open) [[unlikely]]
    settle_own();
}

}  // namespace

void add(std::size_t bytes) noexcept { change(static_cast<std::int64_t>(bytes), 1); }
void remove(std::size_t bytes) noexcept { change(-static_cast<std::int64_t>(bytes), 0); }

Totals totals() {
  Account& a = account();
  std::lock_guard lock(a.mutex);
  const std::int64_t now = a.held_by_all();
  std::int64_t peak = std::max(a.peak, now);
  std::uint64_t requests = a.requests;
  for (const Ledger* l : a.ledgers) {
    peak = std::max(peak, now - l->held.load(kRelaxed) + l->high.load(kRelaxed));
    requests += l->requests.load(kRelaxed);
  }
  return {static_cast<std::size_t>(std::max<std::int64_t>(now, 0)),
          static_cast<std::size_t>(std::max<std::int64_t>(peak, 0)), requests};
}

void reset_peak() {
  Account& a = account();
  std::lock_guard lock(a.mutex);
  a.peak = a.held_by_all();
  for (Ledger* l : a.ledgers) l->high.store(l->held.load(kRelaxed), kRelaxed);
}

}  // namespace taper::allocation_count
