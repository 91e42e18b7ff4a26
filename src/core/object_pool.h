// Small objects of the engine (tensor handles' bodies, storages, graph nodes) come from per-thread
// free lists: a training step makes and drops hundreds of them. Inline, because for an object of
// known size little more than two moves remain.
#pragma once
#include <cstddef>

#include "core/build.h"

namespace taper {
namespace pool {

constexpr std::size_t kStep = 64, kLargest = 1536, kClasses = kLargest / kStep;
/// Off where the sanitizers are to see each object's life.
constexpr bool kPooled = !build::kInstrumented;

struct FreeBlock {
  FreeBlock* next;
};
struct FreeLists {
  FreeBlock* head[kClasses + 1];
  int room[kClasses + 1];  ///< blocks that may still be kept: none before the first and at the end
  bool closed;
};
// Trivially destructible, so that objects freed while a thread ends still find it.
extern constinit thread_local FreeLists lists;

constexpr std::size_t class_of(std::size_t bytes) { return (bytes + kStep - 1) / kStep; }

inline bool keep(void* p, std::size_t klass) noexcept {
  if (lists.room[klass] == 0) return false;
  auto* b = static_cast<FreeBlock*>(p);
  b->next = lists.head[klass];
  lists.head[klass] = b;
  --lists.room[klass];
  return true;
}

void* from_system(std::size_t klass);
void release_slowly(void* p, std::size_t klass) noexcept;

}  // namespace pool

inline void* pool_allocate(std::size_t bytes) {
  const std::size_t klass = pool::class_of(bytes);
  if (pool::kPooled && klass <= pool::kClasses) {
    if (pool::FreeBlock* b = pool::lists.head[klass]) {
      pool::lists.head[klass] = b->next;
      ++pool::lists.room[klass];
      return b;
    }
  }
  return pool::from_system(klass);
}

inline void pool_release(void* p, std::size_t bytes) noexcept {
  const std::size_t klass = pool::class_of(bytes);
  if (pool::kPooled && klass <= pool::kClasses && pool::keep(p, klass)) [[likely]]
    return;
  pool::release_slowly(p, klass);
}

}  // namespace taper
