// Normalization of row-major (N, C, space) data, where a channel consists of contiguous runs.
#if defined(TAPER_CPU_NORM_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_NORM_PLANES_INL_H_
#undef TAPER_CPU_NORM_PLANES_INL_H_
#else
#define TAPER_CPU_NORM_PLANES_INL_H_
#endif

#include <algorithm>

#include "cpu/norm/batch_norm.h"
#include "cpu/norm/sums-inl.h"
#include "cpu/threads.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Calls f(channel) in parallel.
template <class F> void for_each_channel(const ChannelShape& s, F&& f) {
  parallel_for(0, s.c, 1 + kMinParallelWork / std::max<std::int64_t>(1, s.n * s.space),
               [&](std::int64_t b, std::int64_t e) {
                 for (std::int64_t c = b; c < e; ++c) f(c);
               });
}

/// Calls f(offset, count) for the blocks of channel c in every image.
template <class F>
HWY_INLINE void for_each_plane_block(const ChannelShape& s, std::int64_t c, F&& f) {
  for (std::int64_t i = 0; i < s.n; ++i)
    for (std::int64_t o = 0; o < s.space; o += kBlockFloats / 2)
      f((i * s.c + c) * s.space + o, std::min(kBlockFloats / 2, s.space - o));
}

void planes_stats(const ChannelShape& s, const float* x, float* mean, float* variance) {
  for_each_channel(s, [&](std::int64_t c) {
    double m = 0, squares = 0, before = 0;
    for_each_plane_block(s, c, [&](std::int64_t o, std::int64_t size) {
      add_block_moments(x + o, size, before, m, squares);
    });
    if (has_left_float_range(squares, before))
      double_moments(
          before,
          [&](auto&& add) {
            for_each_plane_block(s, c, [&](std::int64_t o, std::int64_t size) {
              std::for_each_n(x + o, size, add);
            });
          },
          m, squares);
    mean[c] = static_cast<float>(m);
    variance[c] = static_cast<float>(squares / before);
  });
}

void planes_normalize(const ChannelShape& s, const float* x, const float* mean, const float* scale,
                      const float* bias, float* y) {
  for_each_channel(s, [&](std::int64_t c) {
    const V m = hn::Set(D(), mean[c]), a = hn::Set(D(), scale[c]);
    const V shift = hn::Set(D(), bias != nullptr ? bias[c] : 0.0f);
    for_each_plane_block(s, c, [&](std::int64_t o, std::int64_t size) {
      for_each_vector(size, [&](std::int64_t i, std::size_t n) HWY_ATTR {
        store_lanes(hn::MulAdd(hn::Sub(load_lanes(x + o + i, n), m), a, shift), y + o + i, n);
      });
    });
  });
}

void planes_gradient_sums(const ChannelShape& s, const float* x, const float* dy, const float* mean,
                          double* sums) {
  for_each_channel(s, [&](std::int64_t c) {
    double g = 0, q = 0;
    const V m = hn::Set(D(), mean[c]);
    for_each_plane_block(s, c, [&](std::int64_t o, std::int64_t size) HWY_ATTR {
      double block_g, block_q;
      sum_plane(size, block_g, block_q, [&](std::int64_t i, std::size_t n, V& a, V& b) HWY_ATTR {
        const V gv = load_lanes(dy + o + i, n);
        a = hn::Add(a, gv);
        b = hn::MulAdd(gv, hn::Sub(load_lanes(x + o + i, n), m), b);
      });
      g += block_g;
      q += block_q;
    });
    sums[c] = g;
    sums[s.c + c] = q;
  });
}

/// Computes dx = (dy + (x - mean) * k1 + k2) * k0 per channel; if `x` is null, dy * k0.
void planes_gradient(const ChannelShape& s, const float* x, const float* dy, const float* mean,
                     const float* k0, const float* k1, const float* k2, float* dx) {
  if (x == nullptr)
    return for_each_channel(s, [&](std::int64_t c) {
      const V a = hn::Set(D(), k0[c]);
      for_each_plane_block(s, c, [&](std::int64_t o, std::int64_t size) {
        for_each_vector(size, [&](std::int64_t i, std::size_t n) HWY_ATTR {
          store_lanes(hn::Mul(load_lanes(dy + o + i, n), a), dx + o + i, n);
        });
      });
    });
  for_each_channel(s, [&](std::int64_t c) {
    const V m = hn::Set(D(), mean[c]), a = hn::Set(D(), k0[c]), p = hn::Set(D(), k1[c]),
            q = hn::Set(D(), k2[c]);
    for_each_plane_block(s, c, [&](std::int64_t o, std::int64_t size) {
      for_each_vector(size, [&](std::int64_t i, std::size_t n) HWY_ATTR {
        const V residual = hn::MulAdd(hn::Sub(load_lanes(x + o + i, n), m), p, q);
        store_lanes(hn::Mul(hn::Add(load_lanes(dy + o + i, n), residual), a), dx + o + i, n);
      });
    });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
