// Heap use of the whole program, counted by its replaced operator new.
#pragma once
#include <cstddef>
#include <cstdint>

namespace taper::test {

struct HeapUse {
  std::size_t peak = 0;          ///< peak of allocated bytes above those at the start
  std::uint64_t bytes = 0;       ///< sum of all allocated bytes
  std::uint64_t requests = 0;    ///< number of allocations
  std::ptrdiff_t left_over = 0;  ///< bytes still allocated at the end, above those at the start
};

/// Counter of the heap use since its construction. Only one instance may exist at a time.
class HeapCount {
 public:
  HeapCount();
  HeapUse use() const;

 private:
  std::int64_t held_;
  std::uint64_t bytes_, requests_;
};

}  // namespace taper::test
