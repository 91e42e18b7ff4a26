// Resampling along one dimension by the weights of its filter.
#pragma once
#include <algorithm>
#include <vector>

#include "cpu/threads.h"
#include "ops/spatial/resample_taps.h"

namespace taper::resample {

/// Elements that contribute to one output, and their weights.
template <class T> struct Contributions {
  const std::int64_t* index;
  const T* weight;
  std::size_t count;
};

/// Computes to[j] = sum over k of weight[k] * from[index[k] * n + j] for j in [0, n).
template <class T> void add_rows(const Contributions<T>& c, const T* from, std::int64_t n, T* to) {
  if (c.count == 0) {
    std::fill_n(to, n, T(0));
    return;
  }
  const auto row = [&](std::size_t k) { return from + c.index[k] * n; };
  std::size_t k = 1;
  if (c.weight[0] == T(1)) {
    std::copy_n(row(0), n, to);
  } else if (c.count > 1) {
    const T *const a = row(0), *const b = row(1), u = c.weight[0], v = c.weight[1];
    for (std::int64_t j = 0; j < n; ++j) to[j] = u * a[j] + v * b[j];
    k = 2;
  } else {
    const T *const a = row(0), u = c.weight[0];
    for (std::int64_t j = 0; j < n; ++j) to[j] = u * a[j];
  }
  for (; k + 1 < c.count; k += 2) {
    const T *const a = row(k), *const b = row(k + 1), u = c.weight[k], v = c.weight[k + 1];
    for (std::int64_t j = 0; j < n; ++j) to[j] = to[j] + u * a[j] + v * b[j];
  }
  if (k < c.count) {
    const T *const a = row(k), u = c.weight[k];
    for (std::int64_t j = 0; j < n; ++j) to[j] += u * a[j];
  }
}

/// Computes all outputs of one line of adjacent elements. `Count` is the number of contributions to
/// each output, 0 if it varies.
template <std::int64_t Count, class T>
void resample_line(const Taps& taps, const T* weight, const T* x, T* y) {
  const auto out = static_cast<std::int64_t>(taps.begin.size()) - 1;
  const std::int64_t* const index = taps.index.data();
  for (std::int64_t o = 0; o < out; ++o) {
    T sum{};
    if constexpr (Count == 0) {
      const auto end = taps.begin[static_cast<std::size_t>(o) + 1];
      for (auto k = taps.begin[static_cast<std::size_t>(o)]; k < end; ++k)
        sum += weight[k] * x[index[k]];
    } else {
      sum = weight[o * Count] * x[index[o * Count]];
      for (std::int64_t k = 1; k < Count; ++k)
        sum += weight[o * Count + k] * x[index[o * Count + k]];
    }
    y[o] = sum;
  }
}

/// Returns the number of contributions to each output if it is 1, 2 or 4 for all of them, else 0.
inline std::int64_t uniform_count(const Taps& taps) {
  const std::int64_t count = taps.begin.size() > 1 ? taps.begin[1] : 0;
  for (std::size_t o = 1; o + 1 < taps.begin.size(); ++o)
    if (taps.begin[o + 1] - taps.begin[o] != count) return 0;
  return count == 1 || count == 2 || count == 4 ? count : 0;
}

/// Computes y(outer, out, inner) from x(outer, in, inner).
template <class T> void resample_dim(const Taps& taps, std::int64_t outer, std::int64_t in,
                                     std::int64_t inner, const T* x, T* y) {
  const auto out = static_cast<std::int64_t>(taps.begin.size()) - 1;
  const auto count = static_cast<std::int64_t>(taps.index.size());
  std::vector<T> weight;
  weight.reserve(taps.weight.size());
  for (const double w : taps.weight) weight.push_back(static_cast<T>(w));
  if (inner == 1) {
    const auto line = [uniform = uniform_count(taps)] {
      switch (uniform) {
        case 1: return resample_line<1, T>;
        case 2: return resample_line<2, T>;
        case 4: return resample_line<4, T>;
        default: return resample_line<0, T>;
      }
    }();
    cpu::parallel_for(0, outer, 1 + 16384 / (out + count), [&](std::int64_t b, std::int64_t e) {
      for (std::int64_t row = b; row < e; ++row)
        line(taps, weight.data(), x + row * in, y + row * out);
    });
    return;
  }
  const std::int64_t cost = 1 + inner * (count / (out > 0 ? out : 1) + 1);
  cpu::parallel_for(0, outer * out, 1 + 32768 / cost, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t row = b; row < e; ++row) {
      const auto o = static_cast<std::size_t>(row % out);
      const auto first = static_cast<std::size_t>(taps.begin[o]);
      add_rows<T>({taps.index.data() + first, weight.data() + first,
                   static_cast<std::size_t>(taps.begin[o + 1]) - first},
                  x + row / out * in * inner, inner, y + row * inner);
    }
  });
}

}  // namespace taper::resample
