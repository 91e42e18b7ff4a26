// Normalization of channels-last data: vectors of channels, blocks of rows.
#if defined(TAPER_CPU_NORM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_NORM_ROWS_INL_H_
#undef TAPER_CPU_NORM_ROWS_INL_H_
#else
#define TAPER_CPU_NORM_ROWS_INL_H_
#endif

#include <algorithm>

#include "cpu/norm/batch_norm.h"
#include "cpu/norm/moments.h"
#include "cpu/norm/vectors-inl.h"
#include "cpu/scratch.h"
#include "cpu/threads.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes two sums over rows [0, rows) of a block for each of C columns, two rows at a time to
/// shorten the dependency chains. `term(offset, column, lanes, s, q)` adds a vector of summands to
/// each.
template <class Term>
HWY_INLINE void sum_rows(std::int64_t rows, std::int64_t c, float* s, float* q, Term&& term) {
  vectors(c, [&](std::int64_t j, std::size_t n) HWY_ATTR {
    V s0 = hn::Zero(D()), s1 = s0, q0 = s0, q1 = s0;
    std::int64_t r = 0;
    for (; r + 2 <= rows; r += 2) {
      term(r * c + j, j, n, s0, q0);
      term((r + 1) * c + j, j, n, s1, q1);
    }
    if (r < rows) term(r * c + j, j, n, s0, q0);
    put(hn::Add(s0, s1), s + j, n);
    put(hn::Add(q0, q1), q + j, n);
  });
}

/// Computes the mean and the sum of squared deviations of each column over rows [begin, end) of
/// (rows, C). `buffer` is scratch memory of 3 C floats.
void rows_moments(std::int64_t c, const float* x, std::int64_t begin, std::int64_t end,
                  double* mean, double* squares, float* buffer) {
  float *const center = buffer, *const rest = buffer + c, *const q = buffer + 2 * c;
  std::fill(mean, mean + c, 0.0);
  std::fill(squares, squares + c, 0.0);
  const std::int64_t block = std::clamp<std::int64_t>(kBlockFloats / c, 16, 256);
  for (std::int64_t r = begin; r < end; r += block) {
    const std::int64_t rows = std::min(block, end - r);
    const float* const at = x + r * c;
    const double count = static_cast<double>(rows);
    sum_rows(rows, c, center, q,
             [&](std::int64_t o, std::int64_t, std::size_t n, V& s, V&)
                 HWY_ATTR { s = hn::Add(s, get(at + o, n)); });
    const float inverse = static_cast<float>(1.0 / count);
    for (std::int64_t j = 0; j < c; ++j) center[j] *= inverse;
    // The center is rounded; `rest` corrects the rounding error.
    sum_rows(rows, c, rest, q,
             [&](std::int64_t o, std::int64_t j, std::size_t n, V& s, V& sq) HWY_ATTR {
               const V e = hn::Sub(get(at + o, n), get(center + j, n));
               s = hn::Add(s, e);
               sq = hn::MulAdd(e, e, sq);
             });
    const double before = static_cast<double>(r - begin);
    for (std::int64_t j = 0; j < c; ++j) {
      const double miss = static_cast<double>(rest[j]) / count;
      merge_moments(before, mean[j], squares[j], count, static_cast<double>(center[j]) + miss,
                    std::max(0.0, static_cast<double>(q[j]) - miss * miss * count));
    }
  }
}

void rows_stats(const ChannelShape& s, const float* x, float* mean, float* variance) {
  const std::int64_t rows = s.n * s.space, c = s.c;
  const int chunks = std::max(1, chunk_count(rows, 1 + kMinParallelWork / c));
  const std::int64_t each = c *
                                (2 * static_cast<std::int64_t>(sizeof(double)) +
                                 3 * static_cast<std::int64_t>(sizeof(float))) /
                                64 * 64 +
                            64;
  const Scratch scratch(static_cast<std::size_t>(each * chunks));
  const auto part = [&](int chunk) {
    return reinterpret_cast<double*>(scratch.as<char>() + chunk * each);
  };
  parallel_chunks(chunks, 0, rows, [&](int chunk, std::int64_t b, std::int64_t e) {
    double* const m = part(chunk);
    rows_moments(c, x, b, e, m, m + c, reinterpret_cast<float*>(m + 2 * c));
  });
  double before = 0;
  double* const all = part(0);
  for (int k = 0; k < chunks; ++k) {
    const double count = static_cast<double>(rows / chunks + (k < rows % chunks ? 1 : 0));
    const double* const m = part(k);
    for (std::int64_t j = 0; j < c && k > 0; ++j)
      merge_moments(before, all[j], all[c + j], count, m[j], m[c + j]);
    before += count;
  }
  for (std::int64_t j = 0; j < c; ++j) {
    mean[j] = static_cast<float>(all[j]);
    variance[j] = static_cast<float>(all[c + j] / before);
  }
}

/// Calls f(row begin, row end) on parts of all rows, from the last to the first, since the end is
/// still in the cache from the previous pass.
template <class F> void each_rows(const ChannelShape& s, F&& f) {
  const std::int64_t block = std::max<std::int64_t>(1, kBlockFloats / s.c);
  parallel_for(0, s.n * s.space, 1 + kMinParallelWork / s.c, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t hi = e; hi > b; hi -= block) f(std::max(b, hi - block), hi);
  });
}

void rows_normalize(const ChannelShape& s, const float* x, const float* mean, const float* scale,
                    const float* bias, float* y) {
  each_rows(s, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t r = b * s.c; r < e * s.c; r += s.c)
      vectors(s.c, [&](std::int64_t j, std::size_t n) HWY_ATTR {
        const V shift = bias != nullptr ? get(bias + j, n) : hn::Zero(D());
        put(hn::MulAdd(hn::Sub(get(x + r + j, n), get(mean + j, n)), get(scale + j, n), shift),
            y + r + j, n);
      });
  });
}

/// Computes sums[0, C) of dy and sums[C, 2 C) of dy * (x - mean), in double.
void rows_gradient_sums(const ChannelShape& s, const float* x, const float* dy, const float* mean,
                        double* sums) {
  const std::int64_t rows = s.n * s.space, c = s.c;
  const int chunks = std::max(1, chunk_count(rows, 1 + kMinParallelWork / c));
  const std::int64_t each =
      (2 * c * static_cast<std::int64_t>(sizeof(double) + sizeof(float)) + 63) / 64 * 64;
  const Scratch scratch(static_cast<std::size_t>(each * chunks));
  const auto part = [&](int chunk) {
    return reinterpret_cast<double*>(scratch.as<char>() + chunk * each);
  };
  parallel_chunks(chunks, 0, rows, [&](int chunk, std::int64_t b, std::int64_t e) {
    double* const to = part(chunk);
    float *const g = reinterpret_cast<float*>(to + 2 * c), *const q = g + c;
    std::fill(to, to + 2 * c, 0.0);
    const std::int64_t block = std::clamp<std::int64_t>(kBlockFloats / c, 16, 256);
    for (std::int64_t r = b; r < e; r += block) {
      const float *const xr = x + r * c, *const gr = dy + r * c;
      sum_rows(std::min(block, e - r), c, g, q,
               [&](std::int64_t o, std::int64_t j, std::size_t n, V& sum, V& product) HWY_ATTR {
                 const V gv = get(gr + o, n);
                 sum = hn::Add(sum, gv);
                 product = hn::MulAdd(gv, hn::Sub(get(xr + o, n), get(mean + j, n)), product);
               });
      for (std::int64_t j = 0; j < 2 * c; ++j) to[j] += static_cast<double>(g[j]);
    }
  });
  std::fill(sums, sums + 2 * c, 0.0);
  for (int k = 0; k < chunks; ++k)
    for (std::int64_t j = 0; j < 2 * c; ++j) sums[j] += part(k)[j];
}

/// Computes dx = dy * k0 + (x - mean) * k1 + k2 per channel.
void rows_gradient(const ChannelShape& s, const float* x, const float* dy, const float* mean,
                   const float* k0, const float* k1, const float* k2, float* dx) {
  each_rows(s, [&](std::int64_t b, std::int64_t e) {
    // The outer loop runs over rows: memory is read in order while the constants of the channels
    // remain in the cache.
    for (std::int64_t r = b * s.c; r < e * s.c; r += s.c)
      vectors(s.c, [&](std::int64_t j, std::size_t n) HWY_ATTR {
        const V centered = hn::Sub(get(x + r + j, n), get(mean + j, n));
        const V rest = hn::MulAdd(centered, get(k1 + j, n), get(k2 + j, n));
        put(hn::MulAdd(get(dy + r + j, n), get(k0 + j, n), rest), dx + r + j, n);
      });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
