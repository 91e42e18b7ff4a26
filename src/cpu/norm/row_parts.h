// RowParts: division of rows into parts whose sums are accumulated on their own.
#pragma once
#include <algorithm>
#include <cstdint>

#include "cpu/threads.h"

namespace taper::cpu {

/// Parts of at least kMinPartSize elements of `rows` rows (at least 1). Their number depends on the
/// shape only, so that sums over the parts are identical for any number of threads.
class RowParts {
 public:
  RowParts(std::int64_t rows, std::int64_t row_size)
      : rows_(rows),
        count_(std::clamp<std::int64_t>(rows * row_size / kMinPartSize, 1,
                                        std::min(kMaxCount, rows))) {}

  std::int64_t count() const { return count_; }
  std::int64_t begin(std::int64_t part) const {
    return rows_ / count_ * part + std::min(part, rows_ % count_);
  }
  std::int64_t size(std::int64_t part) const { return begin(part + 1) - begin(part); }

  /// Calls f(part, first row, end) for all parts in parallel.
  template <class F> void for_each(F&& f) const {
    parallel_for(0, count_, 1, [&](std::int64_t b, std::int64_t e) {
      for (std::int64_t part = b; part < e; ++part) f(part, begin(part), begin(part + 1));
    });
  }

 private:
  static constexpr std::int64_t kMaxCount = 32, kMinPartSize = 32768;
  std::int64_t rows_, count_;
};

}  // namespace taper::cpu
