// CPU kernel of searchsorted.
#include <algorithm>
#include <bit>

#include "core/element.h"
#include "cpu/threads.h"
#include "ops/kernel/element.h"
#include "ops/sort/search.h"

namespace taper {
namespace {

/// Number of values that are searched simultaneously, so that their loads overlap.
constexpr std::size_t kSearches = 4;

/// Sequence of n > 0 elements, optionally in the order of the indices `sorter`.
template <class T> struct SortedSequence {
  const T* elements;
  const std::int64_t* sorter;
  std::int64_t n;
};

/// Stores the numbers of elements in front of the insertion points of `count` values, at most
/// kSearches of them. As in PyTorch, each bisection compares the middle of the remaining elements,
/// on which the result for unsorted sequences and NaN depends. Without branches that depend on the
/// values, which would be mispredicted.
template <bool Right, bool Indirect, class T, class Out>
void find_insertion_points(const SortedSequence<T>& s, const T* values, std::int64_t count,
                           Out* out) {
  using Compared = std::conditional_t<is_narrow_float<T>, float, T>;
  const T* const elements = s.elements;
  const std::int64_t* const sorter = s.sorter;
  Compared x[kSearches];
  std::int64_t first[kSearches], size[kSearches];
  for (std::size_t q = 0; q < kSearches; ++q) {
    x[q] = static_cast<Compared>(values[std::min(static_cast<std::int64_t>(q), count - 1)]);
    first[q] = 0;
    size[q] = s.n;
  }
  const auto narrow = [&](std::size_t q) {
    const std::int64_t half = size[q] >> 1, middle = first[q] + half;
    const auto y = static_cast<Compared>(elements[Indirect ? sorter[middle] : middle]);
    // With `!` because every comparison with NaN is false, so that NaN is inserted at the end.
    const auto before = static_cast<std::int64_t>(Right ? !(y > x[q]) : !(y >= x[q]));
    // Elements after the middle remain, size - half - 1 of them, or those before it, half of them.
    first[q] += -before & (half + 1);
    size[q] = half - (before & ~size[q]);
  };
  const int steps = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(s.n) + 1)) - 1;
  // After `steps` steps, at most one element remains of each bisection.
  for (int step = 0; step < steps; ++step)
    for (std::size_t q = 0; q < kSearches; ++q) narrow(q);
  for (std::size_t q = 0; q < kSearches; ++q)
    if (size[q] > 0) narrow(q);
  for (std::int64_t q = 0; q < std::min<std::int64_t>(count, kSearches); ++q)
    out[q] = static_cast<Out>(first[q]);
}

template <class T, class Out> void search(const SearchSorted& o, const SortedSequence<T>& s,
                                          const T* values, std::int64_t count, Out* out) {
  if (s.n == 0) {
    std::fill_n(out, count, Out{0});
    return;
  }
  const auto run = [&]<bool Right, bool Indirect>() {
    constexpr auto kStep = static_cast<std::int64_t>(kSearches);
    for (std::int64_t i = 0; i < count; i += kStep)
      find_insertion_points<Right, Indirect>(s, values + i, count - i, out + i);
  };
  if (s.sorter)
    o.right ? run.template operator()<true, true>() : run.template operator()<false, true>();
  else
    o.right ? run.template operator()<true, false>() : run.template operator()<false, false>();
}

/// Searches the values of all sequences.
template <class T, class Out> void search_all(const SearchSorted& o, const KernelArgs& k) {
  constexpr std::int64_t kMinSearches = 1 << 10;
  const View &sequence = k.in[0], &values = k.in[1];
  const std::int64_t n = sequence.shape->back();
  const std::int64_t each =
      sequence.shape->size() == 1 ? values.numel : values.shape->back();  // values per sequence
  const auto* const sorter =
      k.has(2) ? reinterpret_cast<const std::int64_t*>(k.in[2].data) : nullptr;
  cpu::parallel_for(0, values.numel, kMinSearches, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t row = begin / each, stop = std::min(end, (row + 1) * each);
      const SortedSequence<T> s{reinterpret_cast<const T*>(sequence.data) + row * n,
                                sorter ? sorter + row * n : nullptr, n};
      search(o, s, reinterpret_cast<const T*>(values.data) + begin, stop - begin,
             reinterpret_cast<Out*>(k.out[0].data) + begin);
      begin = stop;
    }
  });
}

}  // namespace

template <> bool cpu_kernel(const SearchSorted& o, const KernelArgs& k) {
  const View &sequence = k.in[0], &values = k.in[1], &out = k.out[0];
  if (!is_contiguous(sequence) || !is_contiguous(values) || !is_contiguous(out)) return false;
  if (k.has(2)) {
    if (!is_contiguous(k.in[2])) return false;
    const auto* const sorter = reinterpret_cast<const std::int64_t*>(k.in[2].data);
    const std::int64_t n = sequence.shape->back();
    // The reference kernel reports indices out of range.
    if (std::any_of(sorter, sorter + k.in[2].numel, [n](auto i) { return i < 0 || i >= n; }))
      return false;
  }
  const auto search_in = [&]<class T>(T) {
    if (out.dtype == DType::i32)
      search_all<T, std::int32_t>(o, k);
    else
      search_all<T, std::int64_t>(o, k);
    return true;
  };
  switch (sequence.dtype) {
    case DType::f32: return search_in(float{});
    case DType::f64: return search_in(double{});
    case DType::i64: return search_in(std::int64_t{});
    case DType::i32: return search_in(std::int32_t{});
    default: return false;
  }
}

}  // namespace taper
