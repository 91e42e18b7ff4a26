#include <array>
#include <utility>

#include "ops/sort/radix.h"

namespace taper::sorting {
namespace {

/// Up to this number, a comparison sort is faster.
constexpr std::int64_t kFew = 64;

template <class Entry> bool is_before(const Entry& a, const Entry& b) {
  if constexpr (std::is_same_v<Entry, ShortEntry>) {
    const auto joined = [](const Entry& e) {
      return static_cast<std::uint64_t>(e.key) << 32 | e.position;
    };
    return joined(a) < joined(b);
  } else if constexpr (requires { a.position; }) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  } else {
    return a.key < b.key;
  }
}

/// Returns the maximum number of bits of a digit. The counters of 11 bits do not pay off for few
/// entries, and so many destinations exceed the caches and the TLB for many.
int widest_digit(std::int64_t n) { return n > 1 << 12 && n <= 1 << 18 ? 11 : 8; }

}  // namespace

void assign_destinations(std::int64_t* counts, int chunks, std::size_t buckets) {
  std::int64_t next = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    for (int chunk = 0; chunk < chunks; ++chunk) {
      std::int64_t& count = counts[static_cast<std::size_t>(chunk) * buckets + bucket];
      next += std::exchange(count, next);
    }
}

template <class Entry> void radix_sort(Entry* entries, Entry* scratch, std::int64_t n, int bits) {
  if (bits == 0 || n < 2) return;
  if (n <= kFew) {
    std::sort(entries, entries + n, is_before<Entry>);
    return;
  }
  const int widest = widest_digit(n), passes = (bits + widest - 1) / widest;
  const int width = (bits + passes - 1) / passes;
  const std::size_t digits = std::size_t{1} << width;
  std::array<std::int64_t, std::size_t{1} << 11> counts;
  Entry *from = entries, *to = scratch;
  for (int shift = 0; shift < bits; shift += width) {
    const auto digit = [=](const Entry& e) {
      return static_cast<std::size_t>(e.key >> shift) & (digits - 1);
    };
    std::fill_n(counts.begin(), digits, 0);
    for (std::int64_t i = 0; i < n; ++i) ++counts[digit(from[i])];
    if (counts[digit(from[0])] == n) continue;
    assign_destinations(counts.data(), 1, digits);
    for (std::int64_t i = 0; i < n; ++i) to[counts[digit(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries) std::copy_n(from, n, entries);
}

template void radix_sort(ShortEntry*, ShortEntry*, std::int64_t, int);
template void radix_sort(LongEntry*, LongEntry*, std::int64_t, int);
template void radix_sort(ShortKey*, ShortKey*, std::int64_t, int);
template void radix_sort(LongKey*, LongKey*, std::int64_t, int);

}  // namespace taper::sorting
