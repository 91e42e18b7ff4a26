#include "core/object_pool.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

#include "core/never_destroyed.h"
#include "core/per_thread.h"

namespace taper::pool {
namespace {

constexpr int kMaxCachedPerClass = 1024;  // blocks per size class in the free lists of a thread
// Blocks moved at a time from the central list to a thread, in addition to the requested one.
constexpr int kRefillBlocks = 31;
constexpr std::size_t kSlabSize = std::size_t{64} << 10;

/// The beginning of a slab. Slabs are listed so that leak checkers find pointers to all of them.
struct Slab {
  Slab* previous;
};

/// Blocks that exceed the caches of the threads, and the slab from which new blocks are taken.
/// Taking a block from a slab is cheaper than an aligned malloc and does not fragment the heap.
struct CentralFreeList {
  std::mutex mutex;
  std::array<FreeBlock*, kNumClasses + 1> free{};
  Slab* slabs = nullptr;
  std::byte* unused = nullptr;  // of the last slab
  std::size_t bytes_unused = 0;
};
CentralFreeList& central() {
  static NeverDestroyed<CentralFreeList> list;
  return *list;
}

void release_to_central(FreeBlock* b, std::size_t size_class) {
  CentralFreeList& c = central();
  std::lock_guard lock(c.mutex);
  b->next = c.free[size_class];
  c.free[size_class] = b;
}

struct ThreadExitFlush {
  ThreadExitFlush() {
    for (int& free_slots : lists.free_slots) free_slots = kMaxCachedPerClass;
  }
  ~ThreadExitFlush() {
    lists.closed = true;
    for (int& free_slots : lists.free_slots) free_slots = 0;
    for (std::size_t size_class = 0; size_class <= kNumClasses; ++size_class)
      while (FreeBlock* const b = lists.head[size_class]) {
        lists.head[size_class] = b->next;
        release_to_central(b, size_class);
      }
  }
};

}  // namespace

constinit thread_local FreeLists lists{};

void* allocate_slow(std::size_t size_class) {
  if (!kPoolingEnabled || size_class > kNumClasses)
    return ::operator new (size_class* kSizeStep, std::align_val_t{kSizeStep});
  const std::size_t bytes = std::max<std::size_t>(size_class, 1) * kSizeStep;
  CentralFreeList& c = central();
  std::lock_guard lock(c.mutex);
  if (FreeBlock* const b = c.free[size_class]) {
    c.free[size_class] = b->next;
    for (int i = 0; i < kRefillBlocks && c.free[size_class]; ++i) {
      FreeBlock* const next = c.free[size_class]->next;
      if (!try_cache(c.free[size_class], size_class)) break;
      c.free[size_class] = next;
    }
    return b;
  }
  if (c.bytes_unused < bytes) {
    void* const slab = ::operator new (kSlabSize, std::align_val_t{kSizeStep});
    c.slabs = new (slab) Slab{c.slabs};
    c.unused = static_cast<std::byte*>(slab) + kSizeStep;
    c.bytes_unused = kSlabSize - kSizeStep;
  }
  std::byte* const block = c.unused;
  c.unused += bytes, c.bytes_unused -= bytes;
  return block;
}

void release_slow(void* p, std::size_t size_class) noexcept {
  if (!kPoolingEnabled || size_class > kNumClasses)
    return ::operator delete (p, std::align_val_t{kSizeStep});
  if (!lists.closed) {
    PerThread<ThreadExitFlush>::get();  // constructed on the first release in a thread
    if (try_cache(p, size_class)) return;
  }
  release_to_central(static_cast<FreeBlock*>(p), size_class);
}

}  // namespace taper::pool
