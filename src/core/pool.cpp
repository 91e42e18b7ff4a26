#include "core/pool.h"

#include <cstdint>
#include <new>

namespace taper {
namespace {

constexpr std::size_t kStep = 64, kLargest = 1536, kClasses = kLargest / kStep;
constexpr int kKeptPerClass = 1024;

struct FreeBlock {
  FreeBlock* next;
};
struct FreeLists {
  FreeBlock* head[kClasses + 1];
  int room[kClasses +
           1];  ///< blocks that may still be kept: none before the first and after the end
  bool closed;
};
// Trivially destructible, so that objects freed while a thread ends still find it.
constinit thread_local FreeLists lists{};

struct Closer {
  Closer() {
    for (int& room : lists.room) room = kKeptPerClass;
  }
  ~Closer() {
    lists.closed = true;
    for (int& room : lists.room) room = 0;
    for (FreeBlock*& head : lists.head)
      while (head) {
        FreeBlock* next = head->next;
        ::operator delete (head, std::align_val_t{kStep});
        head = next;
      }
  }
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kPooled = false;  // so that the sanitizers see each object's life
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kPooled = false;
#else
constexpr bool kPooled = true;
#endif
#else
constexpr bool kPooled = true;
#endif

}  // namespace

void* pool_allocate(std::size_t bytes) {
  const std::size_t klass = (bytes + kStep - 1) / kStep;
  if (kPooled && klass <= kClasses) {
    if (FreeBlock* b = lists.head[klass]) {
      lists.head[klass] = b->next;
      ++lists.room[klass];
      return b;
    }
  }
  return ::operator new (klass* kStep, std::align_val_t{kStep});
}

namespace {

bool keep(void* p, std::size_t klass) noexcept {
  if (lists.room[klass] == 0) return false;
  auto* b = static_cast<FreeBlock*>(p);
  b->next = lists.head[klass];
  lists.head[klass] = b;
  --lists.room[klass];
  return true;
}

[[gnu::noinline]] void release_slowly(void* p, std::size_t klass) noexcept {
  if (kPooled && klass <= kClasses && !lists.closed) {
    thread_local Closer closer;  // the first block of a thread opens its lists
    static_cast<void>(closer);
    if (keep(p, klass)) return;
  }
  ::operator delete (p, std::align_val_t{kStep});
}

}  // namespace

void pool_release(void* p, std::size_t bytes) noexcept {
  const std::size_t klass = (bytes + kStep - 1) / kStep;
  if (kPooled && klass <= kClasses && keep(p, klass)) [[likely]]
    return;
  release_slowly(p, klass);
}

}  // namespace taper
