// Data and timing of the file benchmarks.
#pragma once
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "taper/taper.h"

namespace taper::bench {

/// Returns a dict of 16 tensors of 64 MB.
inline Value large_checkpoint() {
  constexpr std::int64_t kTensors = 16,
                         kElementsPerTensor = 1 << 24;  // tensors, elements per tensor
  Value v = Value::dict();
  for (std::int64_t i = 0; i < kTensors; ++i)
    v.as_dict().set("layer" + std::to_string(i) + ".weight", randn({kElementsPerTensor}));
  return v;
}
/// Returns a dict of 5,000 tensors of 64 floats.
inline Value small_checkpoint() {
  Value v = Value::ordered_dict();
  for (int i = 0; i < 5000; ++i)
    v.as_dict().set("layers." + std::to_string(i) + ".weight", randn({64}));
  return v;
}

template <class F> double time_once(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the median of the ratios of the time of `f` to the time of `g`, measured alternately in
/// an odd number of rounds.
template <class F, class G> double time_ratio(const F& f, const G& g, int rounds = 3) {
  std::vector<double> q;
  for (int i = 0; i < rounds; ++i) q.push_back(time_once(f) / time_once(g));
  std::sort(q.begin(), q.end());
  return q[q.size() / 2];
}

}  // namespace taper::bench
