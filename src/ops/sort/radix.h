// Stable radix sort of keys, with or without the positions of their elements.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "ops/sort/keys.h"

namespace taper::sorting {

/// Minimum number of elements per thread. Threads wait for each other several times.
inline constexpr std::int64_t kGrain = 1 << 16;

template <class K> struct KeyOnly {
  using Key = K;
  Key key;
};
/// Key and position of an element. The members are in this order so that a comparison by key, then
/// by position, is a comparison of one integer on little-endian machines.
template <class K, class P> struct KeyAndPosition {
  using Key = K;
  using Position = P;
  Position position;
  Key key;
};
using ShortEntry = KeyAndPosition<std::uint32_t, std::uint32_t>;
using LongEntry = KeyAndPosition<std::uint64_t, std::int64_t>;
using ShortKey = KeyOnly<std::uint32_t>;
using LongKey = KeyOnly<std::uint64_t>;

/// Sorts n entries in place by the low `bits` bits of their keys; the other bits must be equal.
/// Entries with equal keys retain their order. Positions must be ascending.
template <class Entry> void radix_sort(Entry* entries, Entry* scratch, std::int64_t n, int bits);

extern template void radix_sort(ShortEntry*, ShortEntry*, std::int64_t, int);
extern template void radix_sort(LongEntry*, LongEntry*, std::int64_t, int);
extern template void radix_sort(ShortKey*, ShortKey*, std::int64_t, int);
extern template void radix_sort(LongKey*, LongKey*, std::int64_t, int);

/// Replaces the numbers of entries per chunk and bucket by their first destinations: entries are
/// ordered by bucket, then by chunk.
void assign_destinations(std::int64_t* counts, int chunks, std::size_t buckets);

/// Maps the keys of the elements of a slice to integers of as few bits as possible, and back. Keys
/// of few bits are sorted in few passes.
template <class T> struct CompactKeys {
  using Key = KeyOf<T>;
  Key flip = 0;  ///< inverts the order
  Key min = 0;
  int shift = 0, bits = 0;
  int dropped = 0;  ///< number of low bits that `truncate` removed

  CompactKeys(const kernel::Slice1d& slice, std::int64_t n, bool descending)
      : flip(descending ? std::numeric_limits<Key>::max() : Key{}) {
    struct Extent {
      Key min, max, varying;
    };
    const int chunks = cpu::chunk_count(n, kGrain);
    if (chunks == 0) return;
    Key first{};
    for_each_key_of<T>(slice, 0, 1, [&](std::int64_t, Key key) { first = key ^ flip; });
    std::vector<Extent> extents(static_cast<std::size_t>(chunks), Extent{first, first, 0});
    cpu::parallel_chunks(chunks, 0, n, [&](int chunk, std::int64_t begin, std::int64_t end) {
      Extent e{first, first, 0};
      for_each_key_of<T>(slice, begin, end, [&](std::int64_t, Key key) {
        key ^= flip;
        e.min = key < e.min ? key : e.min;
        e.max = key > e.max ? key : e.max;
        e.varying |= key ^ first;
      });
      extents[static_cast<std::size_t>(chunk)] = e;
    });
    Extent all = extents[0];
    for (const Extent& e : extents)
      all = {std::min(all.min, e.min), std::max(all.max, e.max),
             static_cast<Key>(all.varying | e.varying)};
    if (all.varying == 0) {
      min = first;
      return;
    }
    min = all.min;
    shift = std::countr_zero(all.varying);
    bits = static_cast<int>(std::bit_width(static_cast<Key>((all.max - all.min) >> shift)));
  }

  /// Limits the compact keys to 32 bits by removing their low bits.
  void truncate() {
    dropped = std::max(0, bits - 32);
    shift += dropped;
    bits -= dropped;
  }
  /// Returns the bits of the compact key that `truncate` removed.
  Key low_bits(Key key) const {
    const Key whole = static_cast<Key>(static_cast<Key>((key ^ flip) - min) >> (shift - dropped));
    return static_cast<Key>(whole & ((Key{1} << dropped) - 1));
  }
  Key compact(Key key) const {
    return static_cast<Key>(static_cast<Key>((key ^ flip) - min) >> shift);
  }
  template <class Compact> Key restore(Compact compact_key) const {
    return static_cast<Key>((static_cast<Key>(static_cast<Key>(compact_key) << shift) + min) ^
                            flip);
  }
};

template <class Entry, class Key> Entry entry_of(Key key, std::int64_t position) {
  Entry e;
  e.key = static_cast<typename Entry::Key>(key);
  if constexpr (requires { e.position; })
    e.position = static_cast<typename Entry::Position>(position);
  return e;
}

/// Sorts the elements of a slice by their compact keys into `entries`. `scratch` has the same size.
/// Elements with equal keys retain their order, so that the result does not depend on the number of
/// threads. Then calls finish(begin, end) for consecutive ranges of entries, each with all entries
/// of its keys, on the thread that sorted them.
template <class T, class Entry, class Finish>
void sort_slice(const kernel::Slice1d& slice, std::int64_t n, const CompactKeys<T>& keys,
                Entry* entries, Entry* scratch, Finish&& finish) {
  // Many elements are distributed to buckets by the leading bits of their keys. A bucket is sorted
  // by one thread, in its caches.
  constexpr std::int64_t kMany = 1 << 16;
  constexpr int kBucketBits = 10;
  if (n < kMany) {
    for_each_key_of<T>(slice, 0, n, [&](std::int64_t i, KeyOf<T> key) {
      entries[i] = entry_of<Entry>(keys.compact(key), i);
    });
    radix_sort(entries, scratch, n, keys.bits);
    finish(std::int64_t{0}, n);
    return;
  }
  const int rest = std::max(0, keys.bits - kBucketBits);
  const std::size_t buckets = std::size_t{1} << (keys.bits - rest);
  const int chunks = cpu::chunk_count(n, kGrain);
  const cpu::Scratch memory(static_cast<std::size_t>(chunks) * buckets * sizeof(std::int64_t));
  auto* const counts = memory.as<std::int64_t>();
  const auto counts_of = [&](int chunk) {
    return counts + static_cast<std::size_t>(chunk) * buckets;
  };
  cpu::parallel_chunks(chunks, 0, n, [&](int chunk, std::int64_t begin, std::int64_t end) {
    std::int64_t* const count = counts_of(chunk);
    std::fill_n(count, buckets, 0);
    for_each_key_of<T>(slice, begin, end, [&](std::int64_t, KeyOf<T> key) {
      ++count[static_cast<std::size_t>(keys.compact(key) >> rest)];
    });
  });
  assign_destinations(counts, chunks, buckets);
  cpu::parallel_chunks(chunks, 0, n, [&](int chunk, std::int64_t begin, std::int64_t end) {
    std::int64_t* const next = counts_of(chunk);
    for_each_key_of<T>(slice, begin, end, [&](std::int64_t i, KeyOf<T> key) {
      const KeyOf<T> compact = keys.compact(key);
      entries[next[static_cast<std::size_t>(compact >> rest)]++] = entry_of<Entry>(compact, i);
    });
  });
  // The destinations of the last chunk are now the ends of the buckets. A thread sorts those that
  // begin in its range.
  const std::int64_t* const ends = counts_of(chunks - 1);
  cpu::parallel_chunks(chunks, 0, n, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      const std::int64_t first = bucket == 0 ? 0 : ends[bucket - 1];
      if (first < begin || first >= end || first == ends[bucket]) continue;
      radix_sort(entries + first, scratch + first, ends[bucket] - first, rest);
      finish(first, ends[bucket]);
    }
  });
}

}  // namespace taper::sorting
