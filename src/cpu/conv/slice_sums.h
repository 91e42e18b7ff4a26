// SliceSums: sums of a weight gradient, computed by several threads.
#pragma once
#include <cstdint>

#include "cpu/scratch.h"
#include "cpu/threads.h"

namespace taper::cpu {

/// Sums over a range of units of equal work. The range is divided into slices; each slice has its
/// own sums, and these are added in order. The number of slices does not depend on the number of
/// threads, so that neither do the results.
class SliceSums {
 public:
  /// `count` sums over `units` units, of `multiply_adds` in total.
  SliceSums(std::int64_t count, std::int64_t units, std::int64_t multiply_adds);

  /// Calls add(begin, end, sums) for each slice [begin, end) of the units, in parallel. It adds to
  /// `count` sums, which are initially zero. Returns the total sums, valid as long as the object.
  template <class F> const float* compute(const F& add) {
    parallel_for(0, slices_, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t slice = first; slice < last; ++slice)
        add(units_ * slice / slices_, units_ * (slice + 1) / slices_, zeroed_sums_of(slice));
    });
    return add_slices();
  }

 private:
  float* zeroed_sums_of(std::int64_t slice);
  const float* add_slices();

  std::int64_t count_, units_, slices_;
  std::int64_t stride_;  // from the sums of a slice to those of the next, in floats
  Scratch sums_;
};

}  // namespace taper::cpu
