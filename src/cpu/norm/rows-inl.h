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
#include "cpu/norm/row_parts.h"
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
  for_each_vector(c, [&](std::int64_t j, std::size_t n) HWY_ATTR {
    V s0 = hn::Zero(D()), s1 = s0, q0 = s0, q1 = s0;
    std::int64_t r = 0;
    for (; r + 2 <= rows; r += 2) {
      term(r * c + j, j, n, s0, q0);
      term((r + 1) * c + j, j, n, s1, q1);
    }
    if (r < rows) term(r * c + j, j, n, s0, q0);
    store_lanes(hn::Add(s0, s1), s + j, n);
    store_lanes(hn::Add(q0, q1), q + j, n);
  });
}

/// Computes the mean and the sum of squared deviations of each column over rows [begin, end) of
/// (rows, C). `buffer` is scratch memory of 3 C floats.
void rows_moments(std::int64_t c, const float* x, std::int64_t begin, std::int64_t end,
                  double* mean, double* squares, float* buffer) {
  float *const center = buffer, *const residual = buffer + c, *const q = buffer + 2 * c;
  std::fill(mean, mean + c, 0.0);
  std::fill(squares, squares + c, 0.0);
  const std::int64_t block = std::clamp<std::int64_t>(kBlockFloats / c, 16, 256);
  for (std::int64_t r = begin; r < end; r += block) {
    const std::int64_t rows = std::min(block, end - r);
    const float* const at = x + r * c;
    const double count = static_cast<double>(rows);
    sum_rows(rows, c, center, q,
             [&](std::int64_t o, std::int64_t, std::size_t n, V& s, V&)
                 HWY_ATTR { s = hn::Add(s, load_lanes(at + o, n)); });
    const float inverse = static_cast<float>(1.0 / count);
    for (std::int64_t j = 0; j < c; ++j) center[j] *= inverse;
    // The center is rounded; `residual` corrects the rounding error.
    sum_rows(rows, c, residual, q,
             [&](std::int64_t o, std::int64_t j, std::size_t n, V& s, V& sq) HWY_ATTR {
               const V e = hn::Sub(load_lanes(at + o, n), load_lanes(center + j, n));
               s = hn::Add(s, e);
               sq = hn::MulAdd(e, e, sq);
             });
    const double before = static_cast<double>(r - begin);
    for (std::int64_t j = 0; j < c; ++j) {
      const double mean_error = static_cast<double>(residual[j]) / count;
      merge_moments(before, mean[j], squares[j], count, static_cast<double>(center[j]) + mean_error,
                    std::max(0.0, static_cast<double>(q[j]) - mean_error * mean_error * count));
    }
  }
}

void rows_stats(const ChannelShape& s, const float* x, float* mean, float* variance) {
  const std::int64_t c = s.c;
  const RowParts parts(s.n * s.space, c);
  const std::int64_t each = c *
                                (2 * static_cast<std::int64_t>(sizeof(double)) +
                                 3 * static_cast<std::int64_t>(sizeof(float))) /
                                64 * 64 +
                            64;
  const Scratch scratch(static_cast<std::size_t>(each * parts.count()));
  const auto moments_of = [&](std::int64_t part) {
    return reinterpret_cast<double*>(scratch.as<char>() + part * each);
  };
  parts.for_each([&](std::int64_t part, std::int64_t b, std::int64_t e) {
    double* const m = moments_of(part);
    rows_moments(c, x, b, e, m, m + c, reinterpret_cast<float*>(m + 2 * c));
  });
  double before = 0;
  double* const all = moments_of(0);
  for (std::int64_t k = 0; k < parts.count(); ++k) {
    const double count = static_cast<double>(parts.size(k));
    const double* const m = moments_of(k);
    for (std::int64_t j = 0; j < c && k > 0; ++j)
      merge_moments(before, all[j], all[c + j], count, m[j], m[c + j]);
    before += count;
  }
  for (std::int64_t j = 0; j < c; ++j) {
    if (has_left_float_range(all[c + j], before))
      double_moments(
          before,
          [&](auto&& add) {
            for (std::int64_t r = 0; r < s.n * s.space; ++r) add(x[r * c + j]);
          },
          all[j], all[c + j]);
    mean[j] = static_cast<float>(all[j]);
    variance[j] = static_cast<float>(all[c + j] / before);
  }
}

/// Calls f(row begin, row end) on parts of all rows, from the last to the first, since the end is
/// still in the cache from the previous pass.
template <class F> void for_each_row_block(const ChannelShape& s, F&& f) {
  const std::int64_t block = std::max<std::int64_t>(1, kBlockFloats / s.c);
  parallel_for(0, s.n * s.space, 1 + kMinParallelWork / s.c, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t hi = e; hi > b; hi -= block) f(std::max(b, hi - block), hi);
  });
}

void rows_normalize(const ChannelShape& s, const float* x, const float* mean, const float* scale,
                    const float* bias, float* y) {
  for_each_row_block(s, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t r = b * s.c; r < e * s.c; r += s.c)
      for_each_vector(s.c, [&](std::int64_t j, std::size_t n) HWY_ATTR {
        const V shift = bias != nullptr ? load_lanes(bias + j, n) : hn::Zero(D());
        store_lanes(hn::MulAdd(hn::Sub(load_lanes(x + r + j, n), load_lanes(mean + j, n)),
                               load_lanes(scale + j, n), shift),
                    y + r + j, n);
      });
  });
}

/// Computes sums[0, C) of dy and sums[C, 2 C) of dy * (x - mean), in double.
void rows_gradient_sums(const ChannelShape& s, const float* x, const float* dy, const float* mean,
                        double* sums) {
  const std::int64_t c = s.c;
  const RowParts parts(s.n * s.space, c);
  const std::int64_t each =
      (2 * c * static_cast<std::int64_t>(sizeof(double) + sizeof(float)) + 63) / 64 * 64;
  const Scratch scratch(static_cast<std::size_t>(each * parts.count()));
  const auto sums_of = [&](std::int64_t part) {
    return reinterpret_cast<double*>(scratch.as<char>() + part * each);
  };
  parts.for_each([&](std::int64_t part, std::int64_t b, std::int64_t e) {
    double* const to = sums_of(part);
    float *const g = reinterpret_cast<float*>(to + 2 * c), *const q = g + c;
    std::fill(to, to + 2 * c, 0.0);
    const std::int64_t block = std::clamp<std::int64_t>(kBlockFloats / c, 16, 256);
    for (std::int64_t r = b; r < e; r += block) {
      const float *const xr = x + r * c, *const gr = dy + r * c;
      sum_rows(std::min(block, e - r), c, g, q,
               [&](std::int64_t o, std::int64_t j, std::size_t n, V& sum, V& product) HWY_ATTR {
                 const V gv = load_lanes(gr + o, n);
                 sum = hn::Add(sum, gv);
                 product = hn::MulAdd(gv, hn::Sub(load_lanes(xr + o, n), load_lanes(mean + j, n)),
                                      product);
               });
      for (std::int64_t j = 0; j < 2 * c; ++j) to[j] += static_cast<double>(g[j]);
    }
  });
  std::fill(sums, sums + 2 * c, 0.0);
  for (std::int64_t k = 0; k < parts.count(); ++k)
    for (std::int64_t j = 0; j < 2 * c; ++j) sums[j] += sums_of(k)[j];
}

/// Computes dx = (dy + (x - mean) * k1 + k2) * k0 per channel; if `x` is null, dy * k0.
void rows_gradient(const ChannelShape& s, const float* x, const float* dy, const float* mean,
                   const float* k0, const float* k1, const float* k2, float* dx) {
  for_each_row_block(s, [&](std::int64_t b, std::int64_t e) {
    if (x == nullptr) {
      for (std::int64_t r = b * s.c; r < e * s.c; r += s.c)
        for_each_vector(s.c, [&](std::int64_t j, std::size_t n) HWY_ATTR {
          store_lanes(hn::Mul(load_lanes(dy + r + j, n), load_lanes(k0 + j, n)), dx + r + j, n);
        });
      return;
    }
    // The outer loop runs over rows: memory is read in order while the constants of the channels
    // remain in the cache.
    for (std::int64_t r = b * s.c; r < e * s.c; r += s.c)
      for_each_vector(s.c, [&](std::int64_t j, std::size_t n) HWY_ATTR {
        const V centered = hn::Sub(load_lanes(x + r + j, n), load_lanes(mean + j, n));
        const V residual = hn::MulAdd(centered, load_lanes(k1 + j, n), load_lanes(k2 + j, n));
        store_lanes(hn::Mul(hn::Add(load_lanes(dy + r + j, n), residual), load_lanes(k0 + j, n)),
                    dx + r + j, n);
      });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
