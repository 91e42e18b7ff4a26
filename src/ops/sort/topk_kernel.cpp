// Kernel of topk. Of equal elements, it selects the positions that PyTorch selects, which follow
// from the algorithms of the C++ library.
#include <algorithm>
#include <array>
#include <vector>

#include "core/per_thread.h"
#include "ops/kernel/index.h"
#include "ops/kernel/parallel_slices.h"
#include "ops/sort/radix.h"
#include "ops/sort/sort.h"

namespace taper {
namespace {

using kernel::Slice1d;

template <class T> sorting::KeyOf<T> flip_of(bool largest) {
  return largest ? std::numeric_limits<sorting::KeyOf<T>>::max() : sorting::KeyOf<T>{};
}

/// Fills the list with the first n elements of a slice.
template <class T, class Entry> void load_entries(const Slice1d& slice, std::int64_t n,
                                                  sorting::KeyOf<T> flip,
                                                  std::vector<Entry>& list) {
  list.resize(static_cast<std::size_t>(n));
  sorting::for_each_key_of<T>(slice, 0, n, [&](std::int64_t i, sorting::KeyOf<T> key) {
    list[static_cast<std::size_t>(i)] =
        sorting::entry_of<Entry>(static_cast<sorting::KeyOf<T>>(key ^ flip), i);
  });
}

/// Returns true if k elements of n are selected with a heap. As in PyTorch.
bool selects_with_heap(std::int64_t k, std::int64_t n) { return k * 64 <= n; }

/// The elements of a slice that the selection of the k first elements with a heap would place on
/// the heap. It compares the others with the top of the heap and discards them. They do not change
/// the heap, and therefore not the result, and are skipped in blocks.
template <class T, class Entry> class HeapCandidates {
 public:
  HeapCandidates(std::vector<Entry>& list, std::int64_t k, bool largest)
      : list_(list), k_(k), largest_(largest), flip_(flip_of<T>(largest)) {}

  /// Fills the list. Returns true if its first elements are the result already, which holds if few
  /// are selected and no two of those that were kept are equal.
  bool load(const Slice1d& slice, std::int64_t n) {
    load_entries<T>(slice, k_, flip_, list_);
    if (k_ > kFew) {
      load_heap(slice, n);
      return false;
    }
    for (std::int64_t i = 0; i < k_; ++i) insert(list_[static_cast<std::size_t>(i)], i);
    for_each_candidate(slice, n, [&](Key key, std::int64_t i) {
      list_.push_back(sorting::entry_of<Entry>(key, i));
      insert(list_.back(), k_ - 1);
    });
    if (!has_equal_) std::copy_n(few_.begin(), k_, list_.begin());
    return !has_equal_;
  }

 private:
  using Key = sorting::KeyOf<T>;
  static constexpr std::int64_t kFew = 16;
  struct Heap {
    std::vector<Key> keys;
  };

  void load_heap(const Slice1d& slice, std::int64_t n) {
    std::vector<Key>& heap = PerThread<Heap>::get().keys;
    heap.clear();
    for (const Entry& e : list_) heap.push_back(static_cast<Key>(e.key));
    std::make_heap(heap.begin(), heap.end());
    top_ = heap.front();
    for_each_candidate(slice, n, [&](Key key, std::int64_t i) {
      list_.push_back(sorting::entry_of<Entry>(key, i));
      std::pop_heap(heap.begin(), heap.end());
      heap.back() = key;
      std::push_heap(heap.begin(), heap.end());
      top_ = heap.front();
    });
  }

  /// Inserts an entry into the sorted ones in place of number `last`.
  void insert(const Entry& entry, std::int64_t last) {
    auto at = static_cast<std::size_t>(last);
    for (; at > 0 && few_[at - 1].key > entry.key; --at) few_[at] = few_[at - 1];
    has_equal_ |= at > 0 && few_[at - 1].key == entry.key;
    few_[at] = entry;
    top_ = static_cast<Key>(few_[static_cast<std::size_t>(last)].key);
  }

  /// Calls f(key, i) for the elements after the first k that precede the top at their turn.
  template <class F> void for_each_candidate(const Slice1d& slice, std::int64_t n, F&& f) {
    // Blocks of two sizes: large ones to skip many elements at once, small ones because most large
    // blocks of a short slice contain elements of the result.
    constexpr std::int64_t kLarge = 128, kSmall = 16, kLongSlice = 4096;
    const auto visit_small = [&](std::int64_t first, std::int64_t last) {
      for_each_candidate_block(
          slice, first, last, kSmall, [&](std::int64_t begin, std::int64_t end) {
            sorting::for_each_key_of<T>(slice, begin, end, [&](std::int64_t i, Key key) {
              key = static_cast<Key>(key ^ flip_);
              if (key < top_) f(key, i);
            });
          });
    };
    n < kLongSlice ? visit_small(k_, n)
                   : for_each_candidate_block(slice, k_, n, kLarge, visit_small);
  }

  /// Calls f(begin, end) for the blocks of `size` elements that may contain elements of the result.
  template <class F> void for_each_candidate_block(const Slice1d& slice, std::int64_t first,
                                                   std::int64_t last, std::int64_t size, F&& f) {
    for (std::int64_t begin = first; begin < last; begin += size) {
      const std::int64_t end = std::min(last, begin + size);
      if (largest_ ? may_contain<true>(slice, begin, end) : may_contain<false>(slice, begin, end))
        f(begin, end);
    }
  }

  /// Returns false if no element of a block precedes the top of the heap. A loop without branches,
  /// which is vectorized.
  template <bool Largest>
  bool may_contain(const Slice1d& slice, std::int64_t begin, std::int64_t end) const {
    if (slice.step != static_cast<std::int64_t>(sizeof(T))) return true;
    const T* const x = reinterpret_cast<const T*>(slice.first);
    bool found = false;
    if constexpr (is_narrow_float<T>) {
      for (std::int64_t i = begin; i < end; ++i)
        found |= static_cast<Key>(sorting::sort_key(x[i]) ^ flip_) < top_;
    } else {
      // Comparisons with NaN are false, so that NaN is always found.
      const T limit = sorting::element_of_key<T>(static_cast<Key>(top_ ^ flip_));
      for (std::int64_t i = begin; i < end; ++i)
        found |= Largest ? !(x[i] <= limit) : !(x[i] >= limit);
    }
    return found;
  }

  std::vector<Entry>& list_;
  std::int64_t k_;
  bool largest_;
  Key flip_, top_ = 0;  // the top is the last of the k first elements so far
  std::array<Entry, kFew> few_{};
  bool has_equal_ = false;
};

/// Rearranges the list so that its first k entries are the result.
template <class Entry> void select_first(std::vector<Entry>& list, const TopK& o, std::int64_t n) {
  const auto is_less = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  const auto end = list.begin() + o.k;
  if (selects_with_heap(o.k, n)) {
    std::partial_sort(list.begin(), end, list.end(), is_less);
  } else {
    std::nth_element(list.begin(), end - 1, list.end(), is_less);
    if (o.sorted) std::sort(list.begin(), end - 1, is_less);
  }
}

/// Memory that the slices of a thread share.
template <class Entry> struct SliceEntries { std::vector<Entry> list; };

template <class T, class Entry>
void topk_slice(const TopK& o, const std::array<Slice1d, 3>& slices, std::int64_t n) {
  std::vector<Entry>& list = PerThread<SliceEntries<Entry>>::get().list;
  bool is_selected = false;
  if (selects_with_heap(o.k, n))
    is_selected = HeapCandidates<T, Entry>(list, o.k, o.largest).load(slices[0], n);
  else
    load_entries<T>(slices[0], n, flip_of<T>(o.largest), list);
  if (!is_selected) select_first(list, o, n);
  for (std::int64_t i = 0; i < o.k; ++i) {
    const auto from = static_cast<std::int64_t>(list[static_cast<std::size_t>(i)].position);
    *reinterpret_cast<T*>(slices[1].first + i * slices[1].step) =
        *reinterpret_cast<const T*>(slices[0].first + from * slices[0].step);
    slices[2].set(i, from);
  }
}

}  // namespace

template <> void reference_kernel(const TopK& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const std::int64_t n = kernel::slice_length(*in.shape, o.dim);
  if (k.out[0].numel == 0) return;
  visit_dtype(in.dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool>)
      kernel::for_each_slice_in_parallel<3>(
          *in.shape, o.dim, {&in, &k.out[0], &k.out[1]}, [&](const auto& slices) {
            using Short =
                std::conditional_t<sizeof(T) <= 4, sorting::ShortEntry, sorting::LongEntry>;
            if (n <= std::numeric_limits<std::uint32_t>::max())
              topk_slice<T, Short>(o, slices, n);
            else
              topk_slice<T, sorting::LongEntry>(o, slices, n);
          });
  });
}

}  // namespace taper
