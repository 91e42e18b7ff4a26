// prefer_huge_pages: fewer page faults in large blocks of memory.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace taper {

constexpr std::size_t kHugePageSize = std::size_t{2} << 20;

/// Requests huge pages for the whole ones in a block of memory. Best effort: a failure only affects
/// the speed.
inline void prefer_huge_pages(void* p, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const std::uintptr_t first = (address + kHugePageSize - 1) / kHugePageSize * kHugePageSize,
                       last = (address + bytes) / kHugePageSize * kHugePageSize;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace taper
