// Kernels of sort and lexsort.
#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/kernel/index.h"
#include "ops/sort/keys.h"
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

struct Entry {
  std::uint64_t key;
  std::int64_t index;
};

/// Sorts entries, whose indices are ascending, by the low `bytes` bytes of their keys. Equal keys
/// retain their order: a comparison sort of few entries, otherwise a radix sort that skips the
/// digits in which all keys agree.
void sort_entries(std::vector<Entry>& entries, std::vector<Entry>& scratch, std::size_t bytes) {
  if (entries.size() <= 256) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    });
    return;
  }
  std::array<std::array<std::size_t, 256>, 8> counts{};
  const auto digit = [](const Entry& e, std::size_t d) { return e.key >> (8 * d) & 0xff; };
  for (const Entry& e : entries)
    for (std::size_t d = 0; d < bytes; ++d) ++counts[d][digit(e, d)];
  scratch.resize(entries.size());
  for (std::size_t d = 0; d < bytes; ++d) {
    auto& count = counts[d];
    if (count[digit(entries[0], d)] == entries.size()) continue;
    std::size_t start = 0;
    for (std::size_t& c : count) start += std::exchange(c, start);
    for (const Entry& e : entries) scratch[count[digit(e, d)]++] = e;
    entries.swap(scratch);
  }
}

template <class T>
void store_sorted(const std::vector<Entry>& entries, const std::array<kernel::Slice1d, 3>& slices) {
  std::byte *value = slices[1].first, *index = slices[2].first;
  for (const Entry& e : entries) {
    *reinterpret_cast<T*>(value) =
        *reinterpret_cast<const T*>(slices[0].first + e.index * slices[0].step);
    *reinterpret_cast<std::int64_t*>(index) = e.index;
    value += slices[1].step, index += slices[2].step;
  }
}

}  // namespace

template <> bool cpu_kernel(const Sort& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const std::int64_t n = kernel::slice_length(*in.shape, o.dim);
  const std::size_t bytes = sorting::key_bytes(in.dtype);
  const std::uint64_t flip = o.descending ? ~std::uint64_t{0} : 0;
  sorting::for_each_slice_in_parallel<3>(
      *in.shape, o.dim, {&in, &k.out[0], &k.out[1]}, [&](const auto& slices) {
        thread_local std::vector<Entry> entries, scratch;
        entries.resize(static_cast<std::size_t>(n));
        sorting::for_each_key(slices[0], n, [&](std::int64_t i, std::uint64_t key) {
          entries[static_cast<std::size_t>(i)] = {key ^ flip, i};
        });
        sort_entries(entries, scratch, bytes);
        switch (size_of(in.dtype)) {
          case 8: return store_sorted<std::uint64_t>(entries, slices);
          case 4: return store_sorted<std::uint32_t>(entries, slices);
          case 2: return store_sorted<std::uint16_t>(entries, slices);
          default: return store_sorted<std::uint8_t>(entries, slices);
        }
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
