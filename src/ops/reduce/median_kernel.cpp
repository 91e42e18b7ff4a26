// CPU kernels of median.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "ops/reduce/median.h"
#include "ops/sort/keys.h"

namespace taper {
namespace {

/// Elements of one dtype by the order of their sort keys.
template <class T> class KeySelection {
 public:
  using Key = sorting::KeyOf<T>;

  KeySelection(const T* x, std::int64_t n)
      : x_(x),
        n_(n),
        chunks_(cpu::chunk_count(n, 1 << 15)),
        counts_(static_cast<std::size_t>(chunks_)),
        has_nan_(static_cast<std::size_t>(chunks_)) {}

  /// Returns the element at position k of the sorted elements, or NaN if there is any.
  T select(std::int64_t k) {
    cpu::parallel_chunks(chunks_, 0, n_, [&](int chunk, std::int64_t begin, std::int64_t end) {
      Counts& counts = counts_[static_cast<std::size_t>(chunk)];
      counts.fill(0);
      int nans = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        const Key key = sorting::sort_key(x_[i]);
        nans |= sorting::is_nan_key<T>(key) ? 1 : 0;
        ++counts[bucket_of(key)];
      }
      has_nan_[static_cast<std::size_t>(chunk)] = nans;
    });
    if (std::any_of(has_nan_.begin(), has_nan_.end(), [](int nans) { return nans != 0; }))
      return std::numeric_limits<T>::quiet_NaN();
    std::size_t bucket = 0;
    std::int64_t size = total(0);
    for (; k >= size; size = total(++bucket)) k -= size;
    return select_in_bucket(bucket, size, k);
  }

 private:
  static constexpr int kShift = 8 * sizeof(Key) - 11;
  static constexpr std::size_t kBuckets = 1 << 11;
  using Counts = std::array<std::int64_t, kBuckets>;

  static std::size_t bucket_of(Key key) { return static_cast<std::size_t>(key >> kShift); }

  std::int64_t total(std::size_t bucket) const {
    std::int64_t sum = 0;
    for (const Counts& c : counts_) sum += c[bucket];
    return sum;
  }

  T select_in_bucket(std::size_t bucket, std::int64_t size, std::int64_t k) const {
    // One more element, because each key is written, and overwritten unless it is in the bucket.
    const cpu::Scratch memory(static_cast<std::size_t>(size + chunks_) * sizeof(Key));
    Key* const keys = memory.as<Key>();
    std::vector<std::int64_t> firsts(static_cast<std::size_t>(chunks_));
    std::int64_t next = 0;
    for (std::size_t c = 0; c < firsts.size(); ++c) {
      firsts[c] = next + static_cast<std::int64_t>(c);
      next += counts_[c][bucket];
    }
    cpu::parallel_chunks(chunks_, 0, n_, [&](int chunk, std::int64_t begin, std::int64_t end) {
      Key* to = keys + firsts[static_cast<std::size_t>(chunk)];
      for (std::int64_t i = begin; i < end; ++i) {
        const Key key = sorting::sort_key(x_[i]);
        *to = key;
        to += bucket_of(key) == bucket;
      }
    });
    Key* end = keys;
    for (std::size_t c = 0; c < firsts.size(); ++c)
      end = std::copy_n(keys + firsts[c], counts_[c][bucket], end);
    std::nth_element(keys, keys + k, end);
    return sorting::element_of_key<T>(keys[k]);
  }

  const T* x_;
  std::int64_t n_;
  int chunks_;
  std::vector<Counts> counts_;
  std::vector<int> has_nan_;
};

/// Returns the position of the first NaN, or n.
template <class T> std::int64_t find_nan(const T* x, std::int64_t n) {
  if constexpr (std::is_floating_point_v<T>) {
    int found = 0;
    for (std::int64_t i = 0; i < n; ++i) found |= x[i] != x[i] ? 1 : 0;
    if (found != 0) return std::find_if(x, x + n, [](T v) { return std::isnan(v); }) - x;
  }
  return n;
}

template <class T> void medians_along_dim(const Median& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const std::int64_t rank = std::ssize(*in.shape), d = o.dim < 0 ? o.dim + rank : o.dim;
  std::int64_t inner = 1;
  for (std::int64_t e = d + 1; e < rank; ++e) inner *= (*in.shape)[static_cast<std::size_t>(e)];
  const std::int64_t n = (*in.shape)[static_cast<std::size_t>(d)];
  const T* const x = reinterpret_cast<const T*>(in.data);
  cpu::parallel_for(0, in.numel / n, std::max<std::int64_t>(1, (1 << 12) / n),
                    [&](std::int64_t begin, std::int64_t end) {
                      const cpu::Scratch memory(2 * static_cast<std::size_t>(n) * sizeof(T));
                      T *const slice = memory.as<T>(), *const sorted = slice + n;
                      for (std::int64_t i = begin; i < end; ++i) {
                        const T* const first = x + i / inner * n * inner + i % inner;
                        for (std::int64_t j = 0; j < n; ++j) slice[j] = first[j * inner];
                        std::int64_t at = find_nan(slice, n);
                        if (at == n) {
                          std::copy_n(slice, n, sorted);
                          std::nth_element(sorted, sorted + (n - 1) / 2, sorted + n);
                          at = std::find(slice, slice + n, sorted[(n - 1) / 2]) - slice;
                        }
                        reinterpret_cast<T*>(k.out[0].data)[i] = slice[at];
                        reinterpret_cast<std::int64_t*>(k.out[1].data)[i] = at;
                      }
                    });
}

}  // namespace

template <> bool cpu_kernel(const Median& o, const KernelArgs& k) {
  const View& in = k.in[0];
  if (in.numel == 0 || in.shape->empty() || !is_contiguous(in) || !is_contiguous(k.out[0]) ||
      !is_contiguous(k.out[1]))
    return false;
  switch (in.dtype) {
    case DType::f32: medians_along_dim<float>(o, k); return true;
    case DType::f64: medians_along_dim<double>(o, k); return true;
    case DType::i64: medians_along_dim<std::int64_t>(o, k); return true;
    default: return false;
  }
}

template <> bool cpu_kernel(const MedianAll&, const KernelArgs& k) {
  const View& in = k.in[0];
  if (in.numel == 0 || !is_contiguous(in)) return false;
  const auto select = [&]<class T>(T) {
    constexpr std::int64_t kFew = 1 << 12;  // fewer elements are selected from a copy
    const T* const x = reinterpret_cast<const T*>(in.data);
    T& result = *reinterpret_cast<T*>(k.out[0].data);
    const std::int64_t middle = (in.numel - 1) / 2;
    if (in.numel >= kFew) {
      result = KeySelection<T>(x, in.numel).select(middle);
    } else if (const std::int64_t nan = find_nan(x, in.numel); nan < in.numel) {
      result = x[nan];
    } else {
      const cpu::Scratch memory(static_cast<std::size_t>(in.numel) * sizeof(T));
      T* const sorted = memory.as<T>();
      std::copy_n(x, in.numel, sorted);
      std::nth_element(sorted, sorted + middle, sorted + in.numel);
      result = sorted[middle];
    }
    return true;
  };
  switch (in.dtype) {
    case DType::f32: return select(float{});
    case DType::f64: return select(double{});
    case DType::i64: return select(std::int64_t{});
    default: return false;
  }
}

}  // namespace taper
