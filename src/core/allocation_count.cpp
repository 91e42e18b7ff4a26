#include "core/allocation_count.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "core/never_destroyed.h"
#include "core/per_thread.h"

namespace taper::allocation_count {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

struct GlobalCounters {
  std::mutex mutex;
  std::vector<AllocationCounters*> counters;
  std::int64_t held = 0, peak = 0;
  std::uint64_t requests = 0;

  void flush(AllocationCounters& l) {
    peak = std::max(peak, held + l.high.load(kRelaxed));
    held += l.held.load(kRelaxed);
    l.flushed += l.held.load(kRelaxed);
    requests += l.requests.load(kRelaxed);
    l.held.store(0, kRelaxed), l.high.store(0, kRelaxed), l.requests.store(0, kRelaxed);
  }
  std::int64_t total_held() const {
    std::int64_t sum = held;
    for (const AllocationCounters* l : counters) sum += l->held.load(kRelaxed);
    return sum;
  }
};
GlobalCounters& global_counters() {
  static NeverDestroyed<GlobalCounters> counters;
  return *counters;
}

struct ThreadExitFlush {
  ~ThreadExitFlush() {
    GlobalCounters& a = global_counters();
    std::lock_guard lock(a.mutex);
    a.flush(thread_counters);
    std::erase(a.counters, &thread_counters);
    thread_counters.registered = false, thread_counters.unregistered = true;
  }
};

}  // namespace

constinit thread_local AllocationCounters thread_counters{};

void flush_thread_counters() {
  GlobalCounters& a = global_counters();
  std::lock_guard lock(a.mutex);
  a.flush(thread_counters);
  if (thread_counters.registered || thread_counters.unregistered) return;
  a.counters.push_back(&thread_counters);
  thread_counters.registered = true;
  PerThread<ThreadExitFlush>::get();
}

Totals totals() {
  GlobalCounters& a = global_counters();
  std::lock_guard lock(a.mutex);
  const std::int64_t now = a.total_held();
  std::int64_t peak = std::max(a.peak, now);
  std::uint64_t requests = a.requests;
  for (const AllocationCounters* l : a.counters) {
    peak = std::max(peak, now - l->held.load(kRelaxed) + l->high.load(kRelaxed));
    requests += l->requests.load(kRelaxed);
  }
  return {static_cast<std::size_t>(std::max<std::int64_t>(now, 0)),
          static_cast<std::size_t>(std::max<std::int64_t>(peak, 0)), requests};
}

void reset_peak() {
  GlobalCounters& a = global_counters();
  std::lock_guard lock(a.mutex);
  a.peak = a.total_held();
  for (AllocationCounters* l : a.counters) l->high.store(l->held.load(kRelaxed), kRelaxed);
}

}  // namespace taper::allocation_count
