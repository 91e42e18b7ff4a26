// What the whole program takes from the heap: operator new of this program counts.
#pragma once
#include <cstddef>
#include <cstdint>

namespace taper::test {

struct HeapUse {
  std::size_t peak = 0;          ///< the most that was held at once, beyond what was held before
  std::uint64_t bytes = 0;       ///< all that was asked for
  std::uint64_t requests = 0;    ///< how often
  std::ptrdiff_t left_over = 0;  ///< held at the end, beyond what was held before
};

/// Counts from the construction on. One at a time.
class HeapCount {
 public:
  HeapCount();
  HeapUse use() const;

 private:
  std::int64_t held_;
  std::uint64_t bytes_, requests_;
};

}  // namespace taper::test
