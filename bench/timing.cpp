#include <algorithm>
#include <chrono>

#include "benchmark.h"

namespace taper::bench {

double seconds_per_call(const std::function<void()>& f, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto time_calls = [&](long calls) {
    const auto start = Clock::now();
    for (long i = 0; i < calls; ++i) f();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  time_calls(2);
  long calls = 1;
  double elapsed = time_calls(calls);
  while (elapsed < seconds / 50 && calls < (1L << 30)) {
    calls *= 4;
    elapsed = time_calls(calls);
  }
  std::vector<double> batches;
  for (double total = 0; total < seconds || batches.size() < 3; total += batches.back())
    batches.push_back(time_calls(calls));
  std::nth_element(batches.begin(),
                   batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2),
                   batches.end());
  return batches[batches.size() / 2] / static_cast<double>(calls);
}

double nanoseconds_per_call(const std::function<void()>& f, double seconds) {
  return seconds_per_call(f, seconds) * 1e9;
}

}  // namespace taper::bench
