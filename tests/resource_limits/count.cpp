#include "count.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> held{0}, max_held{0};
std::atomic<std::uint64_t> bytes_in_all{0}, requests_in_all{0};

void* counted(void* p) {
  if (!p) throw std::bad_alloc();
  const auto size = static_cast<std::int64_t>(::malloc_usable_size(p));
  const std::int64_t now = held.fetch_add(size) + size;
  for (std::int64_t seen = max_held.load();
       now > seen && !max_held.compare_exchange_weak(seen, now);) {}
  bytes_in_all.fetch_add(static_cast<std::uint64_t>(size));
  requests_in_all.fetch_add(1);
  return p;
}

void release(void* p) noexcept {
  if (p) held.fetch_sub(static_cast<std::int64_t>(::malloc_usable_size(p)));
  std::free(p);
}

void* aligned(std::size_t bytes, std::align_val_t to) {
  const auto step = static_cast<std::size_t>(to);
  return counted(std::aligned_alloc(step, (bytes + step - 1) / step * step));
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(std::malloc(bytes ? bytes : 1)); }
void* operator new[](std::size_t bytes) { return counted(std::malloc(bytes ? bytes : 1)); }
void* operator new(std::size_t bytes, std::align_val_t to) { return aligned(bytes, to); }
void* operator new[](std::size_t bytes, std::align_val_t to) { return aligned(bytes, to); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }

namespace taper::test {

HeapCount::HeapCount()
    : held_(held.load()), bytes_(bytes_in_all.load()), requests_(requests_in_all.load()) {
  max_held.store(held_);
}

HeapUse HeapCount::use() const {
  return {static_cast<std::size_t>(max_held.load() - held_), bytes_in_all.load() - bytes_,
          requests_in_all.load() - requests_, held.load() - held_};
}

}  // namespace taper::test
