// Tests of many cases take a sample of them under a sanitizer.
#pragma once
#include <cstddef>
#include <cstdlib>

#include "core/build.h"

namespace taper::test {

/// Returns true under AddressSanitizer and ThreadSanitizer, where each case takes several times as
/// long, unless TAPER_ALL_CASES is in the environment, as in .ci/full.
inline bool takes_sample() {
  static const bool result = build::kInstrumented && !std::getenv("TAPER_ALL_CASES");
  return result;
}

/// Selects the first and then one in `share` cases if tests take a sample, otherwise all of them.
class Sample {
 public:
  /// `share` has no common divisor with the lengths of the loops that it samples.
  explicit Sample(std::size_t share, std::size_t first = 0)
      : share_(takes_sample() ? share : 1), next_(share_ - 1 - first % share_) {}
  /// Returns true if the next case is selected.
  bool next() {
    next_ = (next_ + 1) % share_;
    return next_ == 0;
  }

 private:
  std::size_t share_, next_;
};

}  // namespace taper::test
