// Channels-last pooling: vectors of channels.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cpu/pool/planes.h"
#include "cpu/pool/pool.h"
#include "cpu/pool/window.h"
#include "cpu/simd/targets.h"
#include "cpu/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/pool/pool.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/pool/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Calls f(channel, lanes) for vectors of channels [begin, end).
template <class F>
HWY_INLINE void for_each_channel_vector(std::int64_t begin, std::int64_t end, F&& f) {
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  std::int64_t c = begin;
  for (; c + lanes <= end; c += lanes) f(c, hn::Lanes(DF()));
  if (c < end) f(c, static_cast<std::size_t>(end - c));
}

/// Computes one output row of K by K windows within the input, whose first input row is `x`.
/// Returns false if the row may contain NaN, which comparisons lose: the row must then be
/// recomputed by the general kernel.
template <int K> bool max_row(const Pool2d& p, const float* x, float* y) {
  const DF d;
  bool no_nan = true;
  for_each_channel_vector(0, p.c, [&](std::int64_t c, std::size_t n) HWY_ATTR {
    auto has_nan = hn::Lt(hn::Zero(d), hn::Zero(d));
    const float* from = x + c;
    float* to = y + c;
    for (std::int64_t j = 0; j < p.wo; ++j, from += p.sw * p.c, to += p.c) {
      hn::Vec<DF> best = hn::Zero(d), sum = best;
      HWY_UNROLL(3)
      for (int r = 0; r < K; ++r) {
        HWY_UNROLL(3)
        for (int k = 0; k < K; ++k) {
          const auto v = load_lanes(from + (r * p.w + k) * p.c, n);
          const bool first = r == 0 && k == 0;
          sum = first ? v : hn::Add(sum, v);
          best = first ? v : hn::IfThenElse(hn::Gt(v, best), v, best);
        }
      }
      has_nan = hn::Or(has_nan, hn::IsNaN(sum));
      store_lanes(best, to, n);
    }
    no_nan = no_nan && hn::AllFalse(d, has_nan);
  });
  return no_nan;
}
HWY_INLINE bool max_row_of(const Pool2d& p, const float* x, float* y) {
  return p.kh == 2 ? max_row<2>(p, x, y) : max_row<3>(p, x, y);
}
/// Returns true if max_row supports the windows of output rows that the upper and lower borders do
/// not cut.
bool has_max_row(const Pool2d& p) {
  return !p.adaptive && p.kh == p.kw && (p.kh == 2 || p.kh == 3) && p.dh == 1 && p.dw == 1 &&
         p.pw == 0 && (p.wo - 1) * p.sw + p.kw <= p.w;
}

/// Computes output rows [begin, end), counted over all images.
template <bool WithIndices, class Index> void max_rows(const Pool2d& p, const float* x, float* y,
                                                       Index* indices, std::int64_t begin,
                                                       std::int64_t end) {
  constexpr bool by_tap = std::is_same_v<Index, std::uint8_t>;
  const bool use_max_row = !WithIndices && has_max_row(p);
  const DI di;
  for (std::int64_t row = begin; row < end; ++row) {
    const Span rows = rows_of(p, row % p.ho);
    const float* const image = x + row / p.ho * p.h * p.w * p.c;
    if (use_max_row && rows.count == p.kh &&
        max_row_of(p, image + rows.begin * p.w * p.c, y + row * p.wo * p.c))
      continue;
    for (std::int64_t j = 0; j < p.wo; ++j) {
      const Span columns = columns_of(p, j);
      const std::int64_t at = (row * p.wo + j) * p.c;
      const std::int64_t start = rows.begin * p.w + columns.begin;
      const bool is_empty = rows.count == 0 || columns.count == 0;
      for_each_channel_vector(0, p.c, [&](std::int64_t c, std::size_t n) HWY_ATTR {
        auto best = hn::Set(DF(), -std::numeric_limits<float>::infinity());
        auto index = hn::Set(di, by_tap ? 255 : -1);
        if (!is_empty) {
          best = load_lanes(image + start * p.c + c, n);
          index = hn::Set(
              di, static_cast<std::int32_t>(by_tap ? rows.first * p.kw + columns.first : start));
        }
        for (std::int64_t r = 0; r < rows.count; ++r)
          for (std::int64_t k = r == 0 ? 1 : 0; k < columns.count; ++k) {
            const std::int64_t element = start + r * p.dh * p.w + k * p.dw;
            const auto v = load_lanes(image + element * p.c + c, n);
            const auto better = hn::Or(hn::Gt(v, best), hn::IsNaN(v));
            best = hn::IfThenElse(better, v, best);
            if constexpr (!WithIndices) continue;
            const std::int64_t tap = (rows.first + r) * p.kw + columns.first + k;
            index = hn::IfThenElse(hn::RebindMask(di, better),
                                   hn::Set(di, static_cast<std::int32_t>(by_tap ? tap : element)),
                                   index);
          }
        store_lanes(best, y + at + c, n);
        if constexpr (WithIndices) store_indices(index, indices + at + c, n);
      });
    }
  }
}

template <class Index> void max_forward(const Pool2d& p, const float* x, float* y, Index* indices) {
  const std::int64_t grain = 1 + kMinPoolWork / (1 + p.wo * p.c * p.kh * p.kw);
  parallel_for(0, p.n * p.ho, grain, [&](std::int64_t b, std::int64_t e) {
    if (indices != nullptr)
      max_rows<true>(p, x, y, indices, b, e);
    else
      max_rows<false>(p, x, y, indices, b, e);
  });
}
void max_forward_i64(const Pool2d& p, const float* x, float* y, std::int64_t* indices) {
  max_forward(p, x, y, indices);
}
void max_forward_u8(const Pool2d& p, const float* x, float* y, std::uint8_t* taps) {
  max_forward(p, x, y, taps);
}

/// Calls f(image, channel begin, channel end) in parallel. Images are split by channels if there
/// are too few of them; not by rows, since windows of adjacent rows may share elements.
template <class F> void for_each_channel_block(const Pool2d& p, F&& f) {
  const std::int64_t threads = available_threads();
  const std::int64_t splits =
      p.n % threads == 0 || p.n >= 4 * threads ? 1 : std::clamp<std::int64_t>(p.c / 16, 1, threads);
  const std::int64_t width = (p.c + splits - 1) / splits;
  const std::int64_t grain = 1 + kMinPoolWork / (1 + p.h * p.w * width);
  parallel_for(0, p.n * splits, grain, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t u = b; u < e; ++u) {
      const std::int64_t c0 = u % splits * width;
      f(u / splits, c0, std::min(c0 + width, p.c));
    }
  });
}

/// Sets channels [c0, c1) of one image to zero.
void zero_channels(const Pool2d& p, float* image, std::int64_t c0, std::int64_t c1) {
  const auto bytes = [](std::int64_t floats) {
    return static_cast<std::size_t>(floats) * sizeof(float);
  };
  if (c0 == 0 && c1 == p.c) {
    std::memset(image, 0, bytes(p.h * p.w * p.c));
    return;
  }
  for (std::int64_t i = 0; i < p.h * p.w; ++i) std::memset(image + i * p.c + c0, 0, bytes(c1 - c0));
}

void max_backward_i64(const Pool2d& p, const float* dy, const std::int64_t* indices, float* dx) {
  for_each_channel_block(p, [&](std::int64_t i, std::int64_t c0, std::int64_t c1) {
    float* const image = dx + i * p.h * p.w * p.c;
    zero_channels(p, image, c0, c1);
    for (std::int64_t o = i * p.ho * p.wo; o < (i + 1) * p.ho * p.wo; ++o)
      for (std::int64_t c = c0; c < c1; ++c)
        if (const std::int64_t at = indices[o * p.c + c]; at >= 0)
          image[at * p.c + c] += dy[o * p.c + c];
  });
}

void max_backward_u8(const Pool2d& p, const float* dy, const std::uint8_t* taps, float* dx) {
  const bool no_overlap = has_disjoint_windows(p), covers_input = windows_tile_input(p);
  const DI di;
  const hn::Rebind<std::uint8_t, DI> du;
  for_each_channel_block(p, [&](std::int64_t n, std::int64_t c0, std::int64_t c1) {
    float* const image = dx + n * p.h * p.w * p.c;
    if (!covers_input) zero_channels(p, image, c0, c1);
    for (std::int64_t i = 0; i < p.ho; ++i) {
      const Span rows = rows_of(p, i);
      for (std::int64_t j = 0; j < p.wo; ++j) {
        const Span columns = columns_of(p, j);
        const std::int64_t at = ((n * p.ho + i) * p.wo + j) * p.c;
        for_each_channel_vector(c0, c1, [&](std::int64_t c, std::size_t some) HWY_ATTR {
          const auto g = load_lanes(dy + at + c, some);
          const auto index =
              hn::PromoteTo(di, some == hn::Lanes(di) ? hn::LoadU(du, taps + at + c)
                                                      : load_n(du, taps + at + c, some));
          for (std::int64_t r = 0; r < rows.count; ++r)
            for (std::int64_t k = 0; k < columns.count; ++k) {
              const std::int64_t tap = (rows.first + r) * p.kw + columns.first + k;
              float* const to =
                  image + ((rows.begin + r * p.dh) * p.w + columns.begin + k * p.dw) * p.c + c;
              const auto is_maximum =
                  hn::RebindMask(DF(), hn::Eq(index, hn::Set(di, static_cast<std::int32_t>(tap))));
              const auto v = hn::IfThenElseZero(is_maximum, g);
              store_lanes(no_overlap ? v : hn::Add(load_lanes(to, some), v), to, some);
            }
        });
      }
    }
  });
}

void avg_forward(const Pool2d& p, const AvgRule& rule, const float* x, float* y) {
  const std::int64_t grain = 1 + kMinPoolWork / (1 + p.wo * p.c * p.kh * p.kw);
  parallel_for(0, p.n * p.ho, grain, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t row = b; row < e; ++row) {
      const Span rows = rows_of(p, row % p.ho);
      const float* const image = x + row / p.ho * p.h * p.w * p.c;
      for (std::int64_t j = 0; j < p.wo; ++j) {
        const Span columns = columns_of(p, j);
        const bool is_empty = rows.count == 0 || columns.count == 0;
        const auto divisor =
            hn::Set(DF(), is_empty ? 1.0f : divisor_of(p, rule, row % p.ho, j, rows, columns));
        for_each_channel_vector(0, p.c, [&](std::int64_t c, std::size_t n) HWY_ATTR {
          auto sum = hn::Zero(DF());
          for (std::int64_t r = rows.begin; r < rows.begin + rows.count; ++r)
            for (std::int64_t k = columns.begin; k < columns.begin + columns.count; ++k)
              sum = hn::Add(sum, load_lanes(image + (r * p.w + k) * p.c + c, n));
          store_lanes(hn::Div(sum, divisor), y + (row * p.wo + j) * p.c + c, n);
        });
      }
    }
  });
}

void avg_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx) {
  const bool no_overlap = has_disjoint_windows(p), covers_input = windows_tile_input(p);
  for_each_channel_block(p, [&](std::int64_t n, std::int64_t c0, std::int64_t c1) {
    float* const image = dx + n * p.h * p.w * p.c;
    if (!covers_input) zero_channels(p, image, c0, c1);
    for (std::int64_t i = 0; i < p.ho; ++i) {
      const Span rows = rows_of(p, i);
      for (std::int64_t j = 0; j < p.wo; ++j) {
        const Span columns = columns_of(p, j);
        if (rows.count == 0 || columns.count == 0) continue;
        const auto divisor = hn::Set(DF(), divisor_of(p, rule, i, j, rows, columns));
        for_each_channel_vector(c0, c1, [&](std::int64_t c, std::size_t some) HWY_ATTR {
          const auto v =
              hn::Div(load_lanes(dy + ((n * p.ho + i) * p.wo + j) * p.c + c, some), divisor);
          for (std::int64_t r = rows.begin; r < rows.begin + rows.count; ++r)
            for (std::int64_t k = columns.begin; k < columns.begin + columns.count; ++k) {
              float* const to = image + (r * p.w + k) * p.c + c;
              store_lanes(no_overlap ? v : hn::Add(load_lanes(to, some), v), to, some);
            }
        });
      }
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

HWY_EXPORT(max_forward_i64);
HWY_EXPORT(max_forward_u8);
HWY_EXPORT(max_backward_i64);
HWY_EXPORT(max_backward_u8);
HWY_EXPORT(avg_forward);
HWY_EXPORT(avg_backward);

namespace {

/// Zeros the gradient of the input if there are no windows, whose number divides elsewhere. Returns
/// true if it did.
bool is_gradient_of_nothing(const Pool2d& p, float* dx) {
  if (p.ho != 0 && p.wo != 0) return false;
  std::fill_n(dx, p.n * p.c * p.h * p.w, 0.0f);
  return true;
}

}  // namespace

void max_pool2d(const Pool2d& p, const float* x, float* y, std::int64_t* indices) {
  if (p.channels_last)
    HWY_DYNAMIC_DISPATCH(max_forward_i64)(p, x, y, indices);
  else
    planes::max_forward(p, x, y, indices);
}
void max_pool2d(const Pool2d& p, const float* x, float* y, std::uint8_t* taps) {
  if (p.channels_last)
    HWY_DYNAMIC_DISPATCH(max_forward_u8)(p, x, y, taps);
  else
    planes::max_forward(p, x, y, taps);
}
void max_pool2d_backward(const Pool2d& p, const float* dy, const std::int64_t* indices, float* dx) {
  if (is_gradient_of_nothing(p, dx)) return;
  if (p.channels_last)
    HWY_DYNAMIC_DISPATCH(max_backward_i64)(p, dy, indices, dx);
  else
    planes::max_backward(p, dy, indices, dx);
}
void max_pool2d_backward(const Pool2d& p, const float* dy, const std::uint8_t* taps, float* dx) {
  if (is_gradient_of_nothing(p, dx)) return;
  if (p.channels_last)
    HWY_DYNAMIC_DISPATCH(max_backward_u8)(p, dy, taps, dx);
  else
    planes::max_backward(p, dy, taps, dx);
}
void avg_pool2d(const Pool2d& p, const AvgRule& rule, const float* x, float* y) {
  if (p.channels_last)
    HWY_DYNAMIC_DISPATCH(avg_forward)(p, rule, x, y);
  else
    planes::avg_forward(p, rule, x, y);
}
void avg_pool2d_backward(const Pool2d& p, const AvgRule& rule, const float* dy, float* dx) {
  if (is_gradient_of_nothing(p, dx)) return;
  if (p.channels_last)
    HWY_DYNAMIC_DISPATCH(avg_backward)(p, rule, dy, dx);
  else
    planes::avg_backward(p, rule, dy, dx);
}

}  // namespace taper::cpu
#endif
