#include "cpu/conv/slice_sums.h"

#include <algorithm>

#include "cpu/conv/work.h"

namespace taper::cpu {
namespace {

constexpr std::int64_t kMaxSlices = 16;
// Sums that one thread adds, at least.
constexpr std::int64_t kAddGrain = 16384;
constexpr std::int64_t kCacheLine = 16;  // floats

}  // namespace

SliceSums::SliceSums(std::int64_t count, std::int64_t units, std::int64_t multiply_adds)
    : count_(count),
      units_(units),
      slices_(std::clamp<std::int64_t>(multiply_adds / kMinParallelWork, 1,
                                       std::clamp<std::int64_t>(units, 1, kMaxSlices))),
      stride_((count + kCacheLine - 1) / kCacheLine * kCacheLine),
      sums_(static_cast<std::size_t>(slices_ * stride_) * sizeof(float)) {}

float* SliceSums::zeroed_sums_of(std::int64_t slice) {
  float* const sums = sums_.as<float>() + slice * stride_;
  std::fill_n(sums, count_, 0.0f);
  return sums;
}

const float* SliceSums::add_slices() {
  float* const total = sums_.as<float>();
  if (slices_ == 1) return total;
  parallel_for(0, count_, kAddGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slice = 1; slice < slices_; ++slice) {
      const float* const sums = total + slice * stride_;
      for (std::int64_t i = begin; i < end; ++i) total[i] += sums[i];
    }
  });
  return total;
}

}  // namespace taper::cpu
