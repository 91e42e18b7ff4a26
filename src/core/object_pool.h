// Per-thread free lists for small objects (tensors, storages, graph nodes), of which a training
// step creates hundreds. Inline, because an allocation of known size compiles to a few
// instructions.
#pragma once
#include <cstddef>

#include "core/build.h"

namespace taper {
namespace pool {

constexpr std::size_t kSizeStep = 64, kMaxPooledSize = 1536,
                      kNumClasses = kMaxPooledSize / kSizeStep;
/// False in sanitizer builds, so that the sanitizer tracks each object.
constexpr bool kPoolingEnabled = !build::kInstrumented;

struct FreeBlock {
  FreeBlock* next;
};
struct FreeLists {
  FreeBlock* head[kNumClasses + 1];
  /// Number of blocks that may still be added to each list; 0 before first use and after thread
  /// exit.
  int free_slots[kNumClasses + 1];
  bool closed;
};
// `lists` is trivially destructible, so that objects freed while a thread ends can still access it.
extern constinit thread_local FreeLists lists;

constexpr std::size_t size_class_of(std::size_t bytes) {
  return (bytes + kSizeStep - 1) / kSizeStep;
}

inline bool try_cache(void* p, std::size_t size_class) noexcept {
  if (lists.free_slots[size_class] == 0) return false;
  auto* b = static_cast<FreeBlock*>(p);
  b->next = lists.head[size_class];
  lists.head[size_class] = b;
  --lists.free_slots[size_class];
  return true;
}

void* allocate_slow(std::size_t size_class);
void release_slow(void* p, std::size_t size_class) noexcept;

}  // namespace pool

inline void* pool_allocate(std::size_t bytes) {
  const std::size_t size_class = pool::size_class_of(bytes);
  if (pool::kPoolingEnabled && size_class <= pool::kNumClasses) {
    if (pool::FreeBlock* b = pool::lists.head[size_class]) {
      pool::lists.head[size_class] = b->next;
      ++pool::lists.free_slots[size_class];
      return b;
    }
  }
  return pool::allocate_slow(size_class);
}

inline void pool_release(void* p, std::size_t bytes) noexcept {
  const std::size_t size_class = pool::size_class_of(bytes);
  if (pool::kPoolingEnabled && size_class <= pool::kNumClasses && pool::try_cache(p, size_class))
      [[likely]]
    return;
  pool::release_slow(p, size_class);
}

}  // namespace taper
