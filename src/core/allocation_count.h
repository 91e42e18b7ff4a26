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
  bool open = false, closed = false;
};
// `own` is trivially destructible, so that memory freed while a thread ends is still counted.
extern constinit thread_local AllocationCounters own;
constexpr std::int64_t kFlushThreshold = 1 << 20;
void flush_own();

inline void change(std::int64_t by) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::int64_t held = own.held.load(kRelaxed) + by;
  own.held.store(held, kRelaxed);
  if (held > own.high.load(kRelaxed)) own.high.store(held, kRelaxed);
  if (held > kFlushThreshold || held < -kFlushThreshold || !own.open) [[unlikely]]
    flush_own();
}
inline void add(std::size_t bytes) noexcept {
  own.requests.store(own.requests.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  change(static_cast<std::int64_t>(bytes));
}
inline void remove(std::size_t bytes) noexcept { change(-static_cast<std::int64_t>(bytes)); }

struct Totals {
  std::size_t held;
  /// Exact if a single thread allocates; otherwise an approximation from the peaks of the threads.
  std::size_t peak;
  std::uint64_t requests;
};
Totals totals();
void reset_peak();

}  // namespace taper::allocation_count
