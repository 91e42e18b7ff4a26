// RowGroups: positions of the indices of an embedding, grouped by row.
#pragma once
#include <algorithm>
#include <bit>

#include "ops/embedding/indices.h"
#include "ops/sort/radix.h"

namespace taper::kernel {

/// Positions of indices, sorted by row. Positions of equal rows are ascending.
class RowGroups {
 public:
  RowGroups(const std::vector<std::int64_t>& rows, std::int64_t num_rows)
      : count_(static_cast<std::int64_t>(rows.size())), memory_(rows.size() * sizeof(Entry)) {
    auto* const entries = memory_.as<Entry>();
    for (std::int64_t n = 0; n < count_; ++n)
      entries[n] = {n, static_cast<std::uint64_t>(rows[static_cast<std::size_t>(n)])};
    const cpu::Scratch scratch(rows.size() * sizeof(Entry));
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(num_rows)));
    sorting::radix_sort(entries, scratch.as<Entry>(), count_, bits);
    sorted_ = entries;
  }

  /// Calls f(row, first, last) for each row in [begin, end) that occurs, in ascending order. The
  /// positions of its indices are position(n) for n in [first, last).
  template <class F> void for_each(std::int64_t begin, std::int64_t end, F&& f) const {
    const auto row = [&](std::int64_t n) { return static_cast<std::int64_t>(sorted_[n].key); };
    std::int64_t n = std::lower_bound(sorted_, sorted_ + count_, begin,
                                      [](const Entry& e, std::int64_t at) {
                                        return static_cast<std::int64_t>(e.key) < at;
                                      }) -
                     sorted_;
    while (n < count_ && row(n) < end) {
      const std::int64_t first = n;
      while (n < count_ && row(n) == row(first)) ++n;
      f(row(first), first, n);
    }
  }
  std::int64_t position(std::int64_t n) const { return sorted_[n].position; }

 private:
  using Entry = sorting::LongEntry;

  std::int64_t count_;
  cpu::Scratch memory_;
  const Entry* sorted_ = nullptr;
};

}  // namespace taper::kernel
