#include "cpu/thread_pool.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>

namespace taper::cpu {
namespace {

constexpr int kMaxWorkers = 1023;  // fits the bits of ChunkRange
constexpr int kMaxRanges = 64;
constexpr int kMaxChunks = (1 << 24) - 1;  // fits the bits of ChunkRange
constexpr std::chrono::microseconds kMaxSpin{20}, kMaxYield{500};

void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `done()` returns true, for at most kMaxSpin. Returns the last result of `done`.
template <class Done> bool spin_until(Done&& done) noexcept {
  constexpr int kPausesPerClockRead = 16;
  std::chrono::steady_clock::time_point end{};
  for (;;) {
    for (int i = 0; i < kPausesPerClockRead; ++i) {
      if (done()) return true;
      pause_briefly();
    }
    const auto now = std::chrono::steady_clock::now();
    if (end == std::chrono::steady_clock::time_point{})
      end = now + kMaxSpin;
    else if (now >= end)
      return done();
  }
}

/// Yields the processor until `done()` returns true, for at most kMaxYield. Returns the last result
/// of `done`. Unlike spinning, it takes no time from other threads.
template <class Done> bool yield_until(Done&& done) noexcept {
  const auto end = std::chrono::steady_clock::now() + kMaxYield;
  do {
    std::this_thread::yield();
    if (done()) return true;
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

/// Chunks that have not been claimed: [next, end), and the number of workers that may claim them. A
/// single word, so that a successful claim proves that the region is the current one of its slot.
/// An unclaimed chunk prevents the end of the region, hence a word that was reused in between with
/// the same value is claimed correctly as well.
class alignas(64) ChunkRange {
 public:
  void assign(int next, int end, int workers) noexcept {
    word_.store(static_cast<std::uint64_t>(next) | static_cast<std::uint64_t>(end) << kBits |
                    static_cast<std::uint64_t>(workers) << (2 * kBits),
                std::memory_order_release);
  }

  /// Claims the first or the last chunk on behalf of worker `worker` (-1: the caller). Returns the
  /// index of the chunk, or -1 if there is none.
  int claim(bool first, int worker) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const int next = static_cast<int>(word & kMask),
                end = static_cast<int>(word >> kBits & kMask);
      if (next >= end || worker >= static_cast<int>(word >> (2 * kBits))) return -1;
      const std::uint64_t rest = first ? word + 1 : word - (std::uint64_t{1} << kBits);
      if (word_.compare_exchange_weak(word, rest, std::memory_order_acquire,
                                      std::memory_order_relaxed))
        return first ? next : end - 1;
    }
  }

 private:
  static constexpr int kBits = 24;
  static constexpr std::uint64_t kMask = kMaxChunks;
  std::atomic<std::uint64_t> word_{0};
};

/// One worker thread.
struct alignas(64) Worker {
  std::atomic<std::uint32_t> sleeping{0};

  void wake() noexcept {
    // Paired with `sleep`: either this load sees the sleeper, or the sleeper sees the new epoch.
    if (sleeping.load(std::memory_order_seq_cst) != 0 &&
        sleeping.exchange(0, std::memory_order_seq_cst) != 0)
      sleeping.notify_one();
  }
  void sleep(const std::atomic<std::uint32_t>& epoch, std::uint32_t seen) noexcept {
    sleeping.store(1, std::memory_order_seq_cst);
    if (epoch.load(std::memory_order_seq_cst) == seen)
      sleeping.wait(1, std::memory_order_seq_cst);
    else
      sleeping.store(0, std::memory_order_relaxed);
  }
};

/// The state of one region. It outlives the region, because a worker may look for chunks or signal
/// the caller after the region has ended.
struct alignas(64) Slot {
  static constexpr std::uint32_t kCallerSleeps = std::uint32_t{1} << 31;

  std::atomic<bool> in_use{false};
  // Written by the caller before the chunks are published, read after a chunk has been claimed.
  void (*task)(void*, int) = nullptr;
  void* argument = nullptr;
  int workers_to_wake = 0;
  std::atomic<int> num_ranges{0};
  std::atomic<int> next_to_wake{0};
  alignas(64) std::atomic<std::uint32_t> unfinished{0};  // chunks, and kCallerSleeps
  std::array<ChunkRange, kMaxRanges> ranges;

  /// Claims a chunk, preferably of the range of the participant: 0 is the caller, i + 1 worker i.
  int claim(int participant) noexcept {
    const int n = num_ranges.load(std::memory_order_relaxed);
    for (int i = 0; i < n; ++i) {
      ChunkRange& range = ranges[static_cast<std::size_t>((participant + i) % n)];
      if (const int chunk = range.claim(i == 0, participant - 1); chunk >= 0) return chunk;
    }
    return -1;
  }

  /// Runs the claimed chunk and further ones until all are claimed. Returns the number of chunks.
  int run_from(int chunk, int participant) noexcept {
    int count = 0;
    for (; chunk >= 0; chunk = claim(participant), ++count) task(argument, chunk);
    return count;
  }

  /// Reports chunks of a worker. The slot may belong to another region afterwards, whose caller
  /// then wakes up for nothing.
  void finish(int count) noexcept {
    const auto n = static_cast<std::uint32_t>(count);
    if (unfinished.fetch_sub(n, std::memory_order_acq_rel) == (n | kCallerSleeps))
      unfinished.notify_one();
  }

  /// Reports the caller's chunks and waits for those of the workers.
  void finish_and_wait(int count) noexcept {
    const auto n = static_cast<std::uint32_t>(count);
    if (unfinished.fetch_sub(n, std::memory_order_acq_rel) == n) return;
    const auto is_finished = [&] { return unfinished.load(std::memory_order_acquire) == 0; };
    if (spin_until(is_finished) || yield_until(is_finished)) return;
    std::uint32_t left = unfinished.fetch_or(kCallerSleeps, std::memory_order_acq_rel);
    for (left |= kCallerSleeps; left != kCallerSleeps;
         left = unfinished.load(std::memory_order_acquire))
      unfinished.wait(left, std::memory_order_acquire);
  }
};

class Pool {
 public:
  explicit Pool(const Pool* of_parent) noexcept : of_parent_(of_parent) {}

  void run(int count, int threads, void (*task)(void*, int), void* argument) {
    const int workers = start_workers(std::min(threads - 1, kMaxWorkers));
    Slot* const slot = workers > 0 && count <= kMaxChunks ? acquire_slot() : nullptr;
    if (slot == nullptr) {
      for (int i = 0; i < count; ++i) task(argument, i);
      return;
    }
    const int ranges = std::min({workers + 1, count, kMaxRanges});
    slot->task = task;
    slot->argument = argument;
    slot->workers_to_wake = std::min(workers, count - 1);
    slot->num_ranges.store(ranges, std::memory_order_relaxed);
    slot->next_to_wake.store(0, std::memory_order_relaxed);
    slot->unfinished.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    const int each = count / ranges, rest = count % ranges;
    for (int r = 0, begin = 0; r < ranges; ++r) {
      const int end = begin + each + (r < rest ? 1 : 0);
      // The caller has claimed chunk 0.
      slot->ranges[static_cast<std::size_t>(r)].assign(r == 0 ? 1 : begin, end, workers);
      begin = end;
    }
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    wake_some(*slot);
    slot->finish_and_wait(slot->run_from(0, 0));
    slot->in_use.store(false, std::memory_order_release);
  }

 private:
  /// Starts workers up to `count`. Returns how many of them exist, which is fewer while another
  /// thread starts them or if the system does not provide more.
  int start_workers(int count) {
    const int started = started_.load(std::memory_order_acquire);
    if (started >= count) return count;
    if (count_limited_.load(std::memory_order_relaxed) ||
        starting_.exchange(true, std::memory_order_acquire))
      return started;
    int n = started_.load(std::memory_order_relaxed);
    try {
      for (; n < count; ++n) {
        workers_[static_cast<std::size_t>(n)] = std::make_unique<Worker>();
        std::thread(&Pool::work, this, n).detach();
        started_.store(n + 1, std::memory_order_release);
      }
    } catch (const std::exception&) { count_limited_.store(true, std::memory_order_relaxed); }
    starting_.store(false, std::memory_order_release);
    return std::min(n, count);
  }

  Slot* acquire_slot() noexcept {
    for (Slot& slot : slots_)
      if (!slot.in_use.load(std::memory_order_relaxed) &&
          !slot.in_use.exchange(true, std::memory_order_acquire))
        return &slot;
    return nullptr;
  }

  /// Wakes the next two workers of a region. The caller and each worker that joins do so, which
  /// takes logarithmic time without relying on any one worker.
  void wake_some(Slot& slot) noexcept {
    for (int k = 0; k < 2; ++k) {
      if (slot.next_to_wake.load(std::memory_order_relaxed) >= slot.workers_to_wake) return;
      const int i = slot.next_to_wake.fetch_add(1, std::memory_order_relaxed);
      if (i < slot.workers_to_wake) workers_[static_cast<std::size_t>(i)]->wake();
    }
  }

  void work(int index) noexcept {
    for (;;) {
      const std::uint32_t seen = epoch_.load(std::memory_order_seq_cst);
      if (help(index)) continue;
      const auto has_work = [&] { return epoch_.load(std::memory_order_relaxed) != seen; };
      if (!spin_until(has_work) && !yield_until(has_work))
        workers_[static_cast<std::size_t>(index)]->sleep(epoch_, seen);
    }
  }

  /// Runs chunks of any region. Returns false if there are none.
  bool help(int index) noexcept {
    bool helped = false;
    for (Slot& slot : slots_) {
      const int chunk = slot.claim(index + 1);
      if (chunk < 0) continue;
      wake_some(slot);
      slot.finish(slot.run_from(chunk, index + 1));
      helped = true;
    }
    return helped;
  }

  std::array<Slot, 8> slots_;  // regions of further concurrent callers run on their caller
  alignas(64) std::atomic<std::uint32_t> epoch_{0};  // number of regions that have been opened
  alignas(64) std::atomic<int> started_{0};
  std::atomic<bool> starting_{false}, count_limited_{false};
  std::array<std::unique_ptr<Worker>, kMaxWorkers> workers_;
  [[maybe_unused]] const Pool* const of_parent_;  // pool of the parent process, without workers
};

std::atomic<Pool*> current_pool{nullptr};

// A child process after fork() has none of the workers, so that its first region starts a new pool.
Pool* pool_of_parent = nullptr;  // referenced for leak checkers

void abandon_pool() noexcept {
  if (Pool* const pool = current_pool.exchange(nullptr, std::memory_order_relaxed))
    pool_of_parent = pool;
}
[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, abandon_pool);

/// Keeps the code of the workers mapped if it is part of a shared library.
void prevent_unloading() noexcept {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&run_on_workers), &info) != 0 && info.dli_fname != nullptr)
    dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// Returns the pool, which is never destroyed: its workers run until the process ends.
Pool& pool() {
  Pool* found = current_pool.load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  auto created = std::make_unique<Pool>(pool_of_parent);
  if (!current_pool.compare_exchange_strong(found, created.get(), std::memory_order_acq_rel))
    return *found;
  prevent_unloading();
  return *created.release();
}

}  // namespace

void run_on_workers(int count, int threads, void (*task)(void*, int), void* argument) {
  pool().run(count, threads, task, argument);
}

}  // namespace taper::cpu
