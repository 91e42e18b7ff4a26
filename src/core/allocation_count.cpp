#include "core/allocation_count.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace taper::allocation_count {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

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

}  // namespace

constinit thread_local Ledger own{};

void settle_own() {
  Account& a = account();
  std::lock_guard lock(a.mutex);
  a.settle(own);
  if (own.open || own.closed) return;
  a.ledgers.push_back(&own);
  own.open = true;
  thread_local Closer closer;
  static_cast<void>(closer);
}

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
