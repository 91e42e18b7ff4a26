#include "core/cpu_allocator.h"

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
#include "core/huge_pages.h"
#include "core/never_destroyed.h"
#include "core/per_thread.h"

namespace taper::cpu_allocator {
namespace {

constexpr std::size_t kAlignment = 64;
// Four size classes per power of two: at most a fifth of a block is unused, apart from rounding up
// to a multiple of kAlignment.
constexpr int kNumClasses = 4 * 42;
constexpr int kNumSmallClasses = 4 * 8 + 1;  // up to 16 KiB: also cached per thread
constexpr int kMaxCachedPerClass = 64;

int size_class_of(std::size_t bytes) {
  if (bytes <= kAlignment) return 0;
  const std::size_t units = (bytes + kAlignment - 1) / kAlignment;
  const int log = static_cast<int>(std::bit_width(units - 1)) - 1;  // 2^log < units <= 2^(log + 1)
  const std::size_t low = std::size_t{1} << log;
  return 4 * log + static_cast<int>(((units - low) * 4 + low - 1) >> log);
}
std::size_t size_of_class(int k) {
  if (k == 0) return kAlignment;
  const int log = (k - 1) / 4;
  const std::size_t low = kAlignment << log;
  const std::size_t bytes = low + low / 4 * static_cast<std::size_t>(k - 4 * log);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct CentralFreeList {
  std::mutex mutex;
  std::array<std::vector<std::byte*>, kNumClasses> free;
  std::atomic<std::size_t> reserved{0};
  std::atomic<std::uint64_t> system_allocations{0};
};
CentralFreeList& central() {
  static NeverDestroyed<CentralFreeList> list;
  return *list;
}

constinit std::atomic<std::size_t> memory_limit{0};  // limit in bytes; 0 means no limit

struct ThreadCache {
  std::byte* block[kNumSmallClasses][kMaxCachedPerClass];
  int count[kNumSmallClasses];
  bool initialized, destroyed;
};
constinit thread_local ThreadCache thread_cache{};

struct ThreadExitFlush {
  ThreadExitFlush() { thread_cache.initialized = true; }
  ~ThreadExitFlush() {
    thread_cache.initialized = false, thread_cache.destroyed = true;
    CentralFreeList& c = central();
    std::lock_guard lock(c.mutex);
    for (std::size_t k = 0; k < kNumSmallClasses; ++k)
      while (thread_cache.count[k] > 0)
        c.free[k].push_back(thread_cache.block[k][--thread_cache.count[k]]);
  }
};

std::byte* allocate_system(std::size_t bytes) {
  const std::size_t align = bytes >= kHugePageSize ? kHugePageSize : kAlignment;
  void* p = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (p) prefer_huge_pages(p, bytes);
  return static_cast<std::byte*>(p);
}

[[noreturn]] void throw_out_of_memory(std::size_t bytes, const char* reason) {
  const memory::Stats s = stats();
  fail<OutOfMemoryError>(
      "out of memory on cpu: {} requested {} bytes; {} bytes are allocated by tensors (peak {}), "
      "{} more bytes are cached for reuse; {}",
      current_op::name(), bytes, s.allocated, s.peak,
      s.reserved - std::min(s.reserved, s.allocated), reason);
}

/// Returns a block from the free lists shared by all threads or, if there is none of class `k`,
/// from the operating system. Throws OutOfMemoryError, which reports `bytes`.
[[gnu::noinline]] std::byte* allocate_from_central(int k, std::size_t bytes) {
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
    if (!block) throw_out_of_memory(bytes, "the operating system returned no memory");
  }
  c.system_allocations.fetch_add(1, std::memory_order_relaxed);
  c.reserved.fetch_add(capacity, std::memory_order_relaxed);
  return block;
}

[[gnu::noinline]] void release_to_central(std::byte* block, int k) noexcept {
  CentralFreeList& c = central();
  std::lock_guard lock(c.mutex);
  c.free[static_cast<std::size_t>(k)].push_back(block);
}

[[gnu::noinline]] void register_exit_flush() { PerThread<ThreadExitFlush>::get(); }

}  // namespace

std::byte* allocate(std::size_t bytes, std::size_t& capacity) {
  if (bytes > (std::size_t{1} << 46))
    throw_out_of_memory(bytes, "an allocation has at most 2^46 bytes");
  const std::size_t limit = memory_limit.load(std::memory_order_relaxed);
  if (limit && allocation_count::totals().held + bytes > limit)
    throw_out_of_memory(bytes,
                        ("memory::set_limit allows " + std::to_string(limit) + " bytes").c_str());
  if constexpr (build::kSanitized) {  // exact sizes, so that the sanitizer detects out-of-bounds
                                      // accesses
    capacity = std::max(bytes, std::size_t{1});  // 0 marks external memory
    const std::size_t padded_size = (capacity + kAlignment - 1) / kAlignment * kAlignment;
    auto* p = static_cast<std::byte*>(std::aligned_alloc(kAlignment, padded_size));
    if (!p) throw_out_of_memory(bytes, "the operating system returned no memory");
    std::memset(p, 0xff, bytes);
    central().system_allocations.fetch_add(1, std::memory_order_relaxed);
    central().reserved.fetch_add(capacity, std::memory_order_relaxed);
    allocation_count::add(capacity);
    build::poison_tail(p, bytes, padded_size);
    return p;
  }
  const int k = size_class_of(bytes);
  capacity = size_of_class(k);
  std::byte* const block = k < kNumSmallClasses && thread_cache.count[k] > 0
                               ? thread_cache.block[k][--thread_cache.count[k]]
                               : allocate_from_central(k, bytes);
  allocation_count::add(capacity);
  return block;
}

void release(std::byte* block, std::size_t capacity) noexcept {
  allocation_count::remove(capacity);
  if constexpr (build::kSanitized) {
    build::unpoison(block, (capacity + kAlignment - 1) / kAlignment * kAlignment);
    central().reserved.fetch_sub(capacity, std::memory_order_relaxed);
    std::free(block);
    return;
  }
  const int k = size_class_of(capacity);
  if (k >= kNumSmallClasses) return release_to_central(block, k);
  if (!thread_cache.initialized && !thread_cache.destroyed) [[unlikely]]
    register_exit_flush();
  if (!thread_cache.initialized || thread_cache.count[k] == kMaxCachedPerClass)
    return release_to_central(block, k);
  thread_cache.block[k][thread_cache.count[k]++] = block;
}

memory::Stats stats() {
  CentralFreeList& c = central();
  const allocation_count::Totals t = allocation_count::totals();
  return {t.held, t.peak, c.reserved.load(), t.requests, c.system_allocations.load()};
}

void reset_peak() { allocation_count::reset_peak(); }

void empty_cache() {
  CentralFreeList& c = central();
  std::lock_guard lock(c.mutex);
  for (int k = 0; k < kNumClasses; ++k) {
    auto& list = c.free[static_cast<std::size_t>(k)];
    for (std::byte* block : list) std::free(block);
    c.reserved.fetch_sub(list.size() * size_of_class(k), std::memory_order_relaxed);
    list.clear();
  }
}

void set_limit(std::size_t bytes) { memory_limit.store(bytes); }

}  // namespace taper::cpu_allocator
