#include "core/cpu_allocator.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "core/allocation_count.h"
#include "core/build.h"
#include "core/check.h"
#include "core/current_op.h"

namespace taper::cpu_allocator {
namespace {

constexpr std::size_t kAlign = 64, kHuge = std::size_t{2} << 20;
// Four size classes per power of two: at most a fifth of a block is unused, apart from rounding up
// to a multiple of kAlign.
constexpr int kClasses = 4 * 42;
constexpr int kSmallClasses = 4 * 8 + 1;  // up to 16 KiB: also cached per thread
constexpr int kSmallKept = 64;

int class_of(std::size_t bytes) {
  if (bytes <= kAlign) return 0;
  const std::size_t units = (bytes + kAlign - 1) / kAlign;
  const int log = static_cast<int>(std::bit_width(units - 1)) - 1;  // 2^log < units <= 2^(log + 1)
  const std::size_t low = std::size_t{1} << log;
  return 4 * log + static_cast<int>(((units - low) * 4 + low - 1) >> log);
}
std::size_t size_of_class(int k) {
  if (k == 0) return kAlign;
  const int log = (k - 1) / 4;
  const std::size_t low = kAlign << log;
  const std::size_t bytes = low + low / 4 * static_cast<std::size_t>(k - 4 * log);
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

struct CentralFreeList {
  std::mutex mutex;
  std::array<std::vector<std::byte*>, kClasses> free;
  std::atomic<std::size_t> reserved{0};
  std::atomic<std::uint64_t> system{0};
};
CentralFreeList& central() {
  static CentralFreeList* c =
      new CentralFreeList;  // never destroyed: tensors may outlive static destruction
  return *c;
}

constinit std::atomic<std::size_t> max_held{0};  // limit in bytes; 0 means no limit

struct ThreadCache {
  std::byte* block[kSmallClasses][kSmallKept];
  int count[kSmallClasses];
  bool open, closed;
};
constinit thread_local ThreadCache thread_cache{};

struct ThreadExitFlush {
  ThreadExitFlush() { thread_cache.open = true; }
  ~ThreadExitFlush() {
    thread_cache.open = false, thread_cache.closed = true;
    CentralFreeList& c = central();
    std::lock_guard lock(c.mutex);
    for (std::size_t k = 0; k < kSmallClasses; ++k)
      while (thread_cache.count[k] > 0)
        c.free[k].push_back(thread_cache.block[k][--thread_cache.count[k]]);
  }
};

std::byte* allocate_system(std::size_t bytes) {
  const std::size_t align = bytes >= kHuge ? kHuge : kAlign;
  void* p = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (p && bytes >= kHuge) madvise(p, bytes, MADV_HUGEPAGE);  // best effort
  return static_cast<std::byte*>(p);
}

[[noreturn]] void out_of_memory(std::size_t bytes, const char* why) {
  const memory::Stats s = stats();
  fail<OutOfMemoryError>(
      "out of memory on cpu: {} requested {} bytes; {} bytes are allocated by tensors (peak {}), "
      "{} more bytes are cached for reuse; {}",
      current_op::name(), bytes, s.allocated, s.peak,
      s.reserved - std::min(s.reserved, s.allocated), why);
}

/// Returns a block from the free lists shared by all threads or, if there is none of class `k`,
/// from the operating system. Throws OutOfMemoryError, which reports `bytes`.
[[gnu::noinline]] std::byte* from_central(int k, std::size_t bytes) {
  CentralFreeList& c = central();
  {
    std::lock_guard lock(c.mutex);
    auto& list = c.free[static_cast<std::size_t>(k)];
    if (!list.empty()) {
      std::byte* const block = list.back();
      list.pop_back();
      return block;
    }
  }
  const std::size_t capacity = size_of_class(k);
  std::byte* block = allocate_system(capacity);
  if (!block) {
    empty_cache();
    block = allocate_system(capacity);
    if (!block) out_of_memory(bytes, "the operating system returned no memory");
  }
  c.system.fetch_add(1, std::memory_order_relaxed);
  c.reserved.fetch_add(capacity, std::memory_order_relaxed);
  return block;
}

[[gnu::noinline]] void to_central(std::byte* block, int k) noexcept {
  CentralFreeList& c = central();
  std::lock_guard lock(c.mutex);
  c.free[static_cast<std::size_t>(k)].push_back(block);
}

[[gnu::noinline]] void open_thread_cache() {
  thread_local ThreadExitFlush closer;
  static_cast<void>(closer);
}

}  // namespace

std::byte* allocate(std::size_t bytes, std::size_t& capacity) {
  if (bytes > (std::size_t{1} << 46)) out_of_memory(bytes, "an allocation has at most 2^46 bytes");
  const std::size_t limit = max_held.load(std::memory_order_relaxed);
  if (limit && allocation_count::totals().held + bytes > limit)
    out_of_memory(bytes, ("memory::set_limit allows " + std::to_string(limit) + " bytes").c_str());
  if constexpr (build::kSanitized) {  // exact sizes, so that the sanitizer detects out-of-bounds
                                      // accesses
    capacity = std::max(bytes, std::size_t{1});  // 0 marks external memory
    const std::size_t whole = (capacity + kAlign - 1) / kAlign * kAlign;
    auto* p = static_cast<std::byte*>(std::aligned_alloc(kAlign, whole));
    if (!p) out_of_memory(bytes, "the operating system returned no memory");
    std::memset(p, 0xff, bytes);
    central().system.fetch_add(1, std::memory_order_relaxed);
    central().reserved.fetch_add(capacity, std::memory_order_relaxed);
    allocation_count::add(capacity);
    build::poison_tail(p, bytes, whole);
    return p;
  }
  const int k = class_of(bytes);
  capacity = size_of_class(k);
  std::byte* const block = k < kSmallClasses && thread_cache.count[k] > 0
                               ? thread_cache.block[k][--thread_cache.count[k]]
                               : from_central(k, bytes);
  allocation_count::add(capacity);
  return block;
}

void release(std::byte* block, std::size_t capacity) noexcept {
  allocation_count::remove(capacity);
  if constexpr (build::kSanitized) {
    build::unpoison(block, (capacity + kAlign - 1) / kAlign * kAlign);
    central().reserved.fetch_sub(capacity, std::memory_order_relaxed);
    std::free(block);
    return;
  }
  const int k = class_of(capacity);
  if (k >= kSmallClasses) return to_central(block, k);
  if (!thread_cache.open && !thread_cache.closed) [[unlikely]]
    open_thread_cache();
  if (!thread_cache.open || thread_cache.count[k] == kSmallKept) return to_central(block, k);
  thread_cache.block[k][thread_cache.count[k]++] = block;
}

memory::Stats stats() {
  CentralFreeList& c = central();
  const allocation_count::Totals t = allocation_count::totals();
  return {t.held, t.peak, c.reserved.load(), t.requests, c.system.load()};
}

void reset_peak() { allocation_count::reset_peak(); }

void empty_cache() {
  CentralFreeList& c = central();
  std::lock_guard lock(c.mutex);
  for (int k = 0; k < kClasses; ++k) {
    auto& list = c.free[static_cast<std::size_t>(k)];
    for (std::byte* block : list) std::free(block);
    c.reserved.fetch_sub(list.size() * size_of_class(k), std::memory_order_relaxed);
    list.clear();
  }
}

void set_limit(std::size_t bytes) { max_held.store(bytes); }

}  // namespace taper::cpu_allocator
