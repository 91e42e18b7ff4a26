#include "peak.h"

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taper::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kChains = 10;  // hides the latency of two units

/// Runs `count` steps of independent multiply-adds. Returns their number, negated if the sums are
/// not positive, so that they are computed.
double multiply_add(long count) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.5f), step = hn::Set(d, 1.0f);
  // Different starts, so that the compiler does not merge the chains.
  auto s0 = hn::Set(d, 1.0f), s1 = hn::Set(d, 1.1f), s2 = hn::Set(d, 1.2f), s3 = hn::Set(d, 1.3f),
       s4 = hn::Set(d, 1.4f), s5 = hn::Set(d, 1.5f), s6 = hn::Set(d, 1.6f), s7 = hn::Set(d, 1.7f),
       s8 = hn::Set(d, 1.8f), s9 = hn::Set(d, 1.9f);
  for (long i = 0; i < count; ++i) {
    s0 = hn::MulAdd(s0, factor, step);
    s1 = hn::MulAdd(s1, factor, step);
    s2 = hn::MulAdd(s2, factor, step);
    s3 = hn::MulAdd(s3, factor, step);
    s4 = hn::MulAdd(s4, factor, step);
    s5 = hn::MulAdd(s5, factor, step);
    s6 = hn::MulAdd(s6, factor, step);
    s7 = hn::MulAdd(s7, factor, step);
    s8 = hn::MulAdd(s8, factor, step);
    s9 = hn::MulAdd(s9, factor, step);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(s4, s5)),
                           hn::Add(hn::Add(s6, s7), hn::Add(s8, s9)));
  const double done = static_cast<double>(count) * kChains * static_cast<double>(hn::Lanes(d));
  return hn::GetLane(sum) > 0 ? done : -done;
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

namespace taper::bench {

HWY_EXPORT(multiply_add);

double peak_multiply_adds(int threads) {
  static std::map<int, double> measured;
  double& best = measured[threads];
  if (best != 0) return best;
  for (int round = 0; round < 5; ++round) {
    std::vector<double> rates(static_cast<std::size_t>(threads));
    std::vector<std::thread> workers;
    for (double& rate : rates)
      workers.emplace_back([&rate] {
        const auto start = std::chrono::steady_clock::now();
        const double done = HWY_DYNAMIC_DISPATCH(multiply_add)(5'000'000);
        rate =
            done / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      });
    for (std::thread& worker : workers) worker.join();
    double sum = 0;
    for (const double rate : rates) sum += rate;
    best = std::max(best, sum);
  }
  return best;
}

}  // namespace taper::bench
#endif
