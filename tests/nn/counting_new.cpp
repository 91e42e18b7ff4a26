#include "counting_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<std::uint64_t> count{0};
std::uint64_t allocations() { return count; }

void* operator new(std::size_t n) {
  ++count;
  if (void* p = std::malloc(n ? n : 1)) return p;
  throw std::bad_alloc();
}
// All forms of new that the same delete releases are replaced, so that sanitizers find matching
// pairs.
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(n ? n : 1);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
