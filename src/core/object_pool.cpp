#include "core/object_pool.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

namespace taper::pool {
namespace {

constexpr int kKeptPerClass = 1024, kTaken = 31;  // blocks, by a thread and at a time
constexpr std::size_t kSlab = std::size_t{64} << 10;

/// What threads gave back beyond what they keep, and the slab that new blocks are cut from. Cutting
/// costs a fraction of an aligned malloc, and leaves no holes in its heap.
struct Central {
  std::mutex mutex;
  std::array<FreeBlock*, kClasses + 1> free{};
  std::byte* slab = nullptr;
  std::size_t left = 0;
};
Central& central() {
  static Central* c = new Central;  // never destroyed: objects may outlive static destruction
  return *c;
}

void give_back(FreeBlock* b, std::size_t klass) {
  Central& c = central();
  std::lock_guard lock(c.mutex);
  b->next = c.free[klass];
  c.free[klass] = b;
}

struct Closer {
  Closer() {
    for (int& room : lists.room) room = kKeptPerClass;
  }
  ~Closer() {
    lists.closed = true;
    for (int& room : lists.room) room = 0;
    for (std::size_t klass = 0; klass <= kClasses; ++klass)
      while (FreeBlock* const b = lists.head[klass]) {
        lists.head[klass] = b->next;
        give_back(b, klass);
      }
  }
};

}  // namespace

constinit thread_local FreeLists lists{};

void* from_system(std::size_t klass) {
  if (!kPooled || klass > kClasses) return ::operator new (klass* kStep, std::align_val_t{kStep});
  const std::size_t bytes = std::max<std::size_t>(klass, 1) * kStep;
  Central& c = central();
  std::lock_guard lock(c.mutex);
  if (FreeBlock* const b = c.free[klass]) {
    c.free[klass] = b->next;
    for (int i = 0; i < kTaken && c.free[klass]; ++i) {
      FreeBlock* const next = c.free[klass]->next;
      if (!keep(c.free[klass], klass)) break;
      c.free[klass] = next;
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

void release_slowly(void* p, std::size_t klass) noexcept {
  if (!kPooled || klass > kClasses) return ::operator delete (p, std::align_val_t{kStep});
  if (!lists.closed) {
    thread_local Closer closer;  // the first block of a thread opens its lists
    static_cast<void>(closer);
    if (keep(p, klass)) return;
  }
  give_back(static_cast<FreeBlock*>(p), klass);
}

}  // namespace taper::pool
