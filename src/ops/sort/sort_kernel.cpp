// Kernels of sort and lexsort.
#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/kernel/index.h"
#include "ops/kernel/parallel_slices.h"
#include "ops/sort/radix.h"
#include "ops/sort/sort.h"

namespace taper {
template <> void reference_kernel(const Sort& o, const KernelArgs& k) {
  const Shape& shape = *k.in[0].shape;
  const std::int64_t n = kernel::slice_length(shape, o.dim);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  kernel::for_each_slice<3>(
      shape, o.dim, {&k.in[0], &k.out[0], &k.out[1]}, [&](const auto& slices) {
        const auto key = [&](std::int64_t i) {
          std::uint64_t result = 0;
          kernel::Slice1d one = slices[0];
          one.first += i * one.step;
          sorting::for_each_key(one, 1, [&](std::int64_t, std::uint64_t bits) { result = bits; });
          return result;
        };
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
          return o.descending ? key(a) > key(b) : key(a) < key(b);
        });
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t from = order[static_cast<std::size_t>(i)];
          kernel::copy_element(slices[1].first + i * slices[1].step, slices[1].dtype,
                               slices[0].first + from * slices[0].step, slices[0].dtype);
          slices[2].set(i, from);
        }
      });
}

namespace {

template <class T> const T& element_at(const kernel::Slice1d& slice, std::int64_t i) {
  return *reinterpret_cast<const T*>(slice.first + i * slice.step);
}

/// Sorts entries with equal truncated keys by the remaining bits of their keys.
template <class T, class Entry> void resolve_ties(Entry* entries, std::int64_t n,
                                                  const sorting::CompactKeys<T>& keys,
                                                  const kernel::Slice1d& in) {
  std::vector<sorting::LongEntry> run, scratch;
  for (std::int64_t first = 0, last; first < n; first = last) {
    for (last = first + 1; last < n && entries[last].key == entries[first].key;) ++last;
    if (last == first + 1) continue;
    run.clear();
    for (std::int64_t i = first; i < last; ++i) {
      const auto position = static_cast<std::int64_t>(entries[i].position);
      const auto key = sorting::sort_key(element_at<T>(in, position));
      run.push_back({position, keys.low_bits(key)});
    }
    scratch.resize(run.size());
    sorting::radix_sort(run.data(), scratch.data(), last - first, keys.dropped);
    for (std::int64_t i = first; i < last; ++i)
      entries[i].position =
          static_cast<typename Entry::Position>(run[static_cast<std::size_t>(i - first)].position);
  }
}

/// Stores elements and positions of the sorted entries [begin, end). An element is computed from
/// its key, which is faster than a read at a random position, if only one element has the key.
template <class T, class Entry> void store_sorted(const Entry* sorted, std::int64_t begin,
                                                  std::int64_t end,
                                                  const sorting::CompactKeys<T>& keys,
                                                  const std::array<kernel::Slice1d, 3>& slices) {
  const kernel::Slice1d &in = slices[0], &values = slices[1], &positions = slices[2];
  for (std::int64_t i = begin; i < end; ++i) {
    const auto position = static_cast<std::int64_t>(sorted[i].position);
    const sorting::KeyOf<T> key = keys.restore(sorted[i].key);
    *reinterpret_cast<T*>(values.first + i * values.step) =
        keys.dropped != 0 || sorting::is_ambiguous_key<T>(key) ? element_at<T>(in, position)
                                                               : sorting::element_of_key<T>(key);
    *reinterpret_cast<std::int64_t*>(positions.first + i * positions.step) = position;
  }
}

template <class T, class Entry> void sort_slice_as(const std::array<kernel::Slice1d, 3>& slices,
                                                   std::int64_t n,
                                                   const sorting::CompactKeys<T>& keys) {
  const auto bytes = static_cast<std::size_t>(n) * sizeof(Entry);
  const cpu::Scratch memory(bytes), scratch(bytes);
  auto* const entries = memory.as<Entry>();
  sorting::sort_slice(slices[0], n, keys, entries, scratch.as<Entry>(),
                      [&](std::int64_t begin, std::int64_t end) {
                        if constexpr (sizeof(T) == 8)
                          if (keys.dropped != 0)
                            resolve_ties(entries + begin, end - begin, keys, slices[0]);
                        store_sorted(entries, begin, end, keys, slices);
                      });
}

}  // namespace

template <> bool cpu_kernel(const Sort& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const std::int64_t n = kernel::slice_length(*in.shape, o.dim);
  if (n > std::numeric_limits<std::uint32_t>::max()) return false;  // positions have 32 bits
  visit_dtype(in.dtype, [&]<class T>(T) {
    kernel::for_each_slice_in_parallel<3>(
        *in.shape, o.dim, {&in, &k.out[0], &k.out[1]},
        [&](const auto& slices) {
          sorting::CompactKeys<T> keys(slices[0], n, o.descending);
          keys.truncate();
          sort_slice_as<T, sorting::ShortEntry>(slices, n, keys);
        },
        true);
  });
  return true;
}

template <> void reference_kernel(const LexSort&, const KernelArgs& k) {
  const View& in = k.in[0];
  const std::int64_t rows = (*in.shape)[0], cols = (*in.shape)[1];
  std::vector<std::uint64_t> keys;
  keys.reserve(static_cast<std::size_t>(rows * cols));
  kernel::for_each_slice<1>(*in.shape, 1, {&in}, [&](const auto& slices) {
    sorting::for_each_key(slices[0], cols,
                          [&](std::int64_t, std::uint64_t key) { keys.push_back(key); });
  });
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  const auto row = [&](std::int64_t r) { return keys.begin() + r * cols; };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::lexicographical_compare(row(a), row(a) + cols, row(b), row(b) + cols);
  });
  kernel::for_each_slice<1>(*k.out[0].shape, 0, {&k.out[0]}, [&](const auto& slices) {
    for (std::int64_t i = 0; i < rows; ++i) slices[0].set(i, order[static_cast<std::size_t>(i)]);
  });
}

}  // namespace taper
