// Numbers of threads of the CPU kernels in tests.
#pragma once
#include <vector>

#include "taper/core/parallel.h"

namespace taper::test {

/// Returns f() computed with 1, 2 and 5 threads.
template <class F> auto with_thread_counts(F&& f) {
  const int before = get_num_threads();
  std::vector<decltype(f())> results;
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    results.push_back(f());
  }
  set_num_threads(before);
  return results;
}

}  // namespace taper::test
