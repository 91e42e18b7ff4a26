#include "core/object_pool.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

namespace taper::pool {
namespace {

constexpr int kKeptPerClass = 1024;  // blocks per size class in the free lists of a thread
// Blocks moved at a time from the central list to a thread, in addition to the requested one.
constexpr int kTaken = 31;
constexpr std::size_t kSlab = std::size_t{64} << 10;

/// Blocks that exceed the caches of the threads, and the slab from which new blocks are taken.
/// Taking a block from a slab is cheaper than an aligned malloc and does not fragment the heap.
struct CentralFreeList {
  std::mutex mutex;
  std::array<FreeBlock*, kClasses + 1> free{};
  std::byte* slab = nullptr;
  std::size_t left = 0;
};
CentralFreeList& central() {
  static CentralFreeList* c =
      new CentralFreeList;  // never destroyed: objects may outlive static destruction
  return *c;
}

void give_back(FreeBlock* b, std::size_t size_class) {
  CentralFreeList& c = central();
  std::lock_guard lock(c.mutex);
  b->next = c.free[size_class];
  c.free[size_class] = b;
}

struct ThreadExitFlush {
  ThreadExitFlush() {
    for (int& free_slots : lists.free_slots) free_slots = kKeptPerClass;
  }
  ~ThreadExitFlush() {
    lists.closed = true;
    for (int& free_slots : lists.free_slots) free_slots = 0;
    for (std::size_t size_class = 0; size_class <= kClasses; ++size_class)
      while (FreeBlock* const b = lists.head[size_class]) {
        lists.head[size_class] = b->next;
        give_back(b, size_class);
      }
  }
};

}  // namespace

constinit thread_local FreeLists lists{};

void* allocate_slow(std::size_t size_class) {
  if (!kPooled || size_class > kClasses)
    return ::operator new (size_class* kStep, std::align_val_t{kStep});
  const std::size_t bytes = std::max<std::size_t>(size_class, 1) * kStep;
  CentralFreeList& c = central();
  std::lock_guard lock(c.mutex);
  if (FreeBlock* const b = c.free[size_class]) {
    c.free[size_class] = b->next;
    for (int i = 0; i < kTaken && c.free[size_class]; ++i) {
      FreeBlock* const next = c.free[size_class]->next;
      if (!keep(c.free[size_class], size_class)) break;
      c.free[size_class] = next;
    }
    return b;
  }
  if (c.left < bytes) {
    c.slab = static_cast<std::byte*>(::operator new (kSlab, std::align_val_t{kStep}));
    c.left = kSlab;
  }
  std::byte* const block = c.slab;
  c.slab += bytes, c.left -= bytes;
  return block;
}

void release_slow(void* p, std::size_t size_class) noexcept {
  if (!kPooled || size_class > kClasses) return ::operator delete (p, std::align_val_t{kStep});
  if (!lists.closed) {
    thread_local ThreadExitFlush closer;  // constructed on the first release in a thread
    static_cast<void>(closer);
    if (keep(p, size_class)) return;
  }
  give_back(static_cast<FreeBlock*>(p), size_class);
}

}  // namespace taper::pool
