// Counters of allocated bytes and their peak. Each thread has its own counters, so that small
// requests need no atomic read-modify-write; large balances are flushed to the global counters.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace taper::allocation_count {

/// Per-thread counters, written by the owning thread and read by all threads.
struct AllocationCounters {
  /// Bytes held and their peak, both relative to the last flush to the global counters.
  std::atomic<std::int64_t> held{0}, high{0};
  std::atomic<std::uint64_t> requests{0};
  std::int64_t flushed = 0;  ///< bytes in the global counters; used by the owning thread only
  bool registered = false, unregistered = false;
};
// `thread_counters` is trivially destructible, so that memory freed while a thread ends is still
// counted.
extern constinit thread_local AllocationCounters thread_counters;
constexpr std::int64_t kFlushThreshold = 1 << 20;
void flush_thread_counters();

/// Returns the bytes that this thread allocated minus those that it released.
inline std::int64_t balance_of_thread() noexcept {
  return thread_counters.flushed + thread_counters.held.load(std::memory_order_relaxed);
}

inline void adjust_held(std::int64_t delta) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::int64_t held = thread_counters.held.load(kRelaxed) + delta;
  thread_counters.held.store(held, kRelaxed);
  if (held > thread_counters.high.load(kRelaxed)) thread_counters.high.store(held, kRelaxed);
  if (held > kFlushThreshold || held < -kFlushThreshold || !thread_counters.registered) [[unlikely]]
    flush_thread_counters();
}
inline void add(std::size_t bytes) noexcept {
  thread_counters.requests.store(thread_counters.requests.load(std::memory_order_relaxed) + 1,
                                 std::memory_order_relaxed);
  adjust_held(static_cast<std::int64_t>(bytes));
}
inline void remove(std::size_t bytes) noexcept { adjust_held(-static_cast<std::int64_t>(bytes)); }

struct Totals {
  std::size_t held;
  /// Exact if a single thread allocates; otherwise an approximation from the peaks of the threads.
  std::size_t peak;
  std::uint64_t requests;
};
Totals totals();
void reset_peak();

}  // namespace taper::allocation_count
