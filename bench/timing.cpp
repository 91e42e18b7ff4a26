#include <algorithm>
#include <chrono>

#include "benchmark.h"

namespace taper::bench {

double seconds_per_call(const std::function<void()>& f, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](long calls) {
    const auto start = Clock::now();
    for (long i = 0; i < calls; ++i) f();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  timed(2);
  long calls = 1;
  double took = timed(calls);
  while (took < seconds / 50 && calls < (1L << 30)) {
    calls *= 4;
    took = timed(calls);
  }
  std::vector<double> batches;
  for (double total = 0; total < seconds || batches.size() < 3; total += batches.back())
    batches.push_back(timed(calls));
  std::nth_element(batches.begin(),
                   batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2),
                   batches.end());
  return batches[batches.size() / 2] / static_cast<double>(calls);
}

double nanoseconds_per_call(const std::function<void()>& f, double seconds) {
  return seconds_per_call(f, seconds) * 1e9;
}

}  // namespace taper::bench
