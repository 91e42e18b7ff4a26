#include "ops/sort/unique.h"

#include <vector>

#include "ops/sort/radix.h"

namespace taper::sorting {
namespace {

/// Replaces the positions of the first elements of runs by the lengths of the runs.
void counts_from_starts(std::int64_t* starts, std::int64_t count, std::int64_t n) {
  for (std::int64_t run = 0; run + 1 < count; ++run) starts[run] = starts[run + 1] - starts[run];
  starts[count - 1] = n - starts[count - 1];
}

/// Runs of equal elements in sorted entries.
template <class T, class Entry> class Runs {
 public:
  static constexpr bool kHasPositions = requires(Entry e) { e.position; };

  Runs(const T* x, const Entry* sorted, std::int64_t n, const CompactKeys<T>& keys)
      : x_(x),
        sorted_(sorted),
        n_(n),
        keys_(keys),
        chunks_(cpu::chunk_count(n, kGrain)),
        firsts_(static_cast<std::size_t>(chunks_), 0) {
    cpu::parallel_chunks(chunks_, 0, n_, [&](int chunk, std::int64_t begin, std::int64_t end) {
      std::int64_t count = 0;
      for (std::int64_t i = begin; i < end; ++i) count += is_start(i);
      firsts_[static_cast<std::size_t>(chunk)] = count;
    });
    for (std::int64_t& first : firsts_) count_ += std::exchange(first, count_);
  }

  std::int64_t count() const { return count_; }

  void write(const UniqueOutputs& out) const {
    T* const values = static_cast<T*>(out.values);
    std::int64_t zeros = -1;  // the run of zeros, which one chunk starts
    cpu::parallel_chunks(chunks_, 0, n_, [&](int chunk, std::int64_t begin, std::int64_t end) {
      std::int64_t run = firsts_[static_cast<std::size_t>(chunk)] - 1;
      for (std::int64_t i = begin; i < end; ++i) {
        if (is_start(i)) {
          ++run;
          const KeyOf<T> key = keys_.restore(sorted_[i].key);
          if (!is_ambiguous_key<T>(key))
            values[run] = element_of_key<T>(key);
          else if constexpr (kHasPositions)
            values[run] = x_[sorted_[i].position];
          else if (!is_nan_key<T>(key))
            zeros = run;
          if (out.counts) out.counts[run] = i;
        }
        if constexpr (kHasPositions) out.inverse[sorted_[i].position] = run;
      }
    });
    if constexpr (!kHasPositions && is_floating_element<T>) write_ambiguous(values, zeros);
    if (out.counts) counts_from_starts(out.counts, count_, n_);
  }

 private:
  bool is_start(std::int64_t i) const {
    return i == 0 || sorted_[i].key != sorted_[i - 1].key ||
           is_nan_key<T>(keys_.restore(sorted_[i].key));
  }

  /// Stores the values whose keys are ambiguous, as a stable sort selects them: the first zero of
  /// the input, and every NaN. NaNs are the last runs.
  void write_ambiguous(T* values, std::int64_t zeros) const {
    std::int64_t nans = 0;
    while (nans < n_ && is_nan_key<T>(keys_.restore(sorted_[n_ - 1 - nans].key))) ++nans;
    for (std::int64_t i = 0; i < n_ && (zeros >= 0 || nans > 0); ++i) {
      const KeyOf<T> key = sort_key(x_[i]);
      if (is_nan_key<T>(key)) {
        values[count_ - nans--] = x_[i];
      } else if (zeros >= 0 && is_ambiguous_key<T>(key)) {
        values[zeros] = x_[i];
        zeros = -1;
      }
    }
  }

  const T* x_;
  const Entry* sorted_;
  std::int64_t n_;
  const CompactKeys<T>& keys_;
  int chunks_;
  std::vector<std::int64_t> firsts_;
  std::int64_t count_ = 0;
};

template <class T, class Entry>
void unique_as(const kernel::Slice1d& slice, std::int64_t n, const CompactKeys<T>& keys,
               const std::function<UniqueOutputs(std::int64_t)>& allocate) {
  const auto bytes = static_cast<std::size_t>(n) * sizeof(Entry);
  const cpu::Scratch memory(bytes), scratch(bytes);
  auto* const sorted = memory.as<Entry>();
  sort_slice(slice, n, keys, sorted, scratch.as<Entry>(), [](std::int64_t, std::int64_t) {});
  const Runs<T, Entry> runs(reinterpret_cast<const T*>(slice.first), sorted, n, keys);
  runs.write(allocate(runs.count()));
}

}  // namespace

void unique_elements(const void* data, DType dtype, std::int64_t n, bool needs_inverse,
                     const std::function<UniqueOutputs(std::int64_t)>& allocate) {
  visit_dtype(dtype, [&]<class T>(T) {
    const kernel::Slice1d slice{static_cast<std::byte*>(const_cast<void*>(data)), sizeof(T), dtype};
    const CompactKeys<T> keys(slice, n, false);
    if constexpr (sizeof(T) == 8)
      if (keys.bits > 32)
        return needs_inverse ? unique_as<T, LongEntry>(slice, n, keys, allocate)
                             : unique_as<T, LongKey>(slice, n, keys, allocate);
    if (needs_inverse)
      unique_as<T, ShortEntry>(slice, n, keys, allocate);
    else
      unique_as<T, ShortKey>(slice, n, keys, allocate);
  });
}

void unique_consecutive_elements(const void* data, DType dtype, std::int64_t n,
                                 const std::function<UniqueOutputs(std::int64_t)>& allocate) {
  visit_dtype(dtype, [&]<class T>(T) {
    // A bool is read as a byte, which may have any value.
    using Read = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    const Read* const x = static_cast<const Read*>(data);
    const auto differ = [&](std::int64_t i) {
      if constexpr (std::is_same_v<T, bool>)
        return (x[i] != 0) != (x[i - 1] != 0);
      else if constexpr (is_narrow_float<T>)
        return static_cast<float>(x[i]) != static_cast<float>(x[i - 1]);
      else
        return x[i] != x[i - 1];
    };
    const int chunks = cpu::chunk_count(n, kGrain);
    // The number of runs that begin in each chunk, then the first run of each.
    std::vector<std::int64_t> firsts(static_cast<std::size_t>(chunks), 0);
    cpu::parallel_chunks(chunks, 0, n, [&](int chunk, std::int64_t begin, std::int64_t end) {
      std::int64_t count = begin == 0;
      for (std::int64_t i = std::max<std::int64_t>(begin, 1); i < end; ++i) count += differ(i);
      firsts[static_cast<std::size_t>(chunk)] = count;
    });
    std::int64_t count = 0;
    for (std::int64_t& first : firsts) count += std::exchange(first, count);
    const UniqueOutputs out = allocate(count);
    Read* const values = static_cast<Read*>(out.values);
    cpu::parallel_chunks(chunks, 0, n, [&](int chunk, std::int64_t begin, std::int64_t end) {
      const auto c = static_cast<std::size_t>(chunk);
      const std::int64_t before = firsts[c] - 1;
      const std::int64_t runs = (c + 1 < firsts.size() ? firsts[c + 1] : count) - firsts[c];
      // The elements up to the first start belong to a run of the previous chunk.
      std::int64_t first = begin;
      while (first < end && first > 0 && !differ(first)) ++first;
      if (runs == end - first) {
        std::copy(x + first, x + end, values + before + 1);
      } else if (runs > 0) {
        std::int64_t run = before + 1;
        Read value = values[run] = x[first];
        // Each step stores, without a branch that the data would mispredict.
        for (std::int64_t i = first + 1; i < end; ++i) {
          const bool starts = differ(i);
          run += starts;
          value = starts ? x[i] : value;
          values[run] = value;
        }
      }
      if (!out.counts && !out.inverse) return;
      std::int64_t run = before;
      for (std::int64_t i = begin; i < end; ++i) {
        if (i == 0 || differ(i)) {
          ++run;
          if (out.counts) out.counts[run] = i;
        }
        if (out.inverse) out.inverse[i] = run;
      }
    });
    if (out.counts) counts_from_starts(out.counts, count, n);
  });
}

}  // namespace taper::sorting
