#include "core/pool.h"

#include <new>

namespace taper::pool {
namespace {

constexpr int kKeptPerClass = 1024;

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

}  // namespace

constinit thread_local FreeLists lists{};

void* from_system(std::size_t klass) {
  return ::operator new (klass* kStep, std::align_val_t{kStep});
}

void release_slowly(void* p, std::size_t klass) noexcept {
  if (kPooled && klass <= kClasses && !lists.closed) {
    thread_local Closer closer;  // the first block of a thread opens its lists
    static_cast<void>(closer);
    if (keep(p, klass)) return;
  }
  ::operator delete (p, std::align_val_t{kStep});
}

}  // namespace taper::pool
