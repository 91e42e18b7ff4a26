#include "cpu/gemm/bf16_panels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "cpu/threads.h"

namespace taper::cpu {
namespace {

/// Transposes 8 lines of 8 pairs, `from_line` elements apart, to 8 rows that are `width` apart.
[[gnu::target("avx2")]] void transpose_pairs(const BFloat16* from, std::int64_t from_line,
                                             Bf16Pair* to, std::int64_t width) {
  __m256 x[8], y[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i)
    x[i] = _mm256_loadu_ps(reinterpret_cast<const float*>(from + i * from_line));
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
    y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    x[i] = _mm256_shuffle_ps(y[i], y[i + 2], 0x44);
    x[i + 1] = _mm256_shuffle_ps(y[i], y[i + 2], 0xee);
    x[i + 2] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0x44);
    x[i + 3] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(reinterpret_cast<float*>(to + i * width),
                     _mm256_permute2f128_ps(x[i], x[i + 4], 0x20));
    _mm256_storeu_ps(reinterpret_cast<float*>(to + (i + 4) * width),
                     _mm256_permute2f128_ps(x[i], x[i + 4], 0x31));
  }
}

/// Packs lines whose elements along K are contiguous; `k` is even.
void pack_contiguous(const BFloat16* from, std::int64_t lines, std::int64_t k, std::int64_t outer,
                     Bf16Pair* to, std::int64_t width) {
  const std::int64_t pairs = k / 2, whole_lines = lines / 8 * 8, whole_pairs = pairs / 8 * 8;
  for (std::int64_t i = 0; i < whole_lines; i += 8)
    for (std::int64_t p = 0; p < whole_pairs; p += 8)
      transpose_pairs(from + i * outer + 2 * p, outer, to + p * width + i, width);
  for (std::int64_t i = 0; i < lines; ++i)
    for (std::int64_t p = i < whole_lines ? whole_pairs : 0; p < pairs; ++p)
      std::memcpy(to + p * width + i, from + i * outer + 2 * p, sizeof(Bf16Pair));
}

Bf16Pair make_pair(BFloat16 low, BFloat16 high) {
  return low.bits | static_cast<Bf16Pair>(high.bits) << 16;
}

/// Combines two contiguous runs of elements, `low` and `high`, to pairs.
void interleave(const BFloat16* low, const BFloat16* high, std::int64_t count, Bf16Pair* to) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(low + i)),
                  y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(high + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_unpacklo_epi16(x, y));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i + 4), _mm_unpackhi_epi16(x, y));
  }
  for (; i < count; ++i) to[i] = make_pair(low[i], high[i]);
}

/// A factor, and the panels to which it is packed.
struct Packing {
  const BFloat16* from;
  std::int64_t outer, inner;
  const Bf16Panels& panels;
  Bf16Pair* to;

  const BFloat16* line(std::int64_t panel) const { return from + panel * panels.width * outer; }
  std::int64_t lines_of(std::int64_t panel) const {
    return std::min(panels.width, panels.lines - panel * panels.width);
  }
  Bf16Pair* pair(std::int64_t panel, std::int64_t p) const { return to + panels.offset(panel, p); }
};

/// Packs the pairs of the panels from `begin` to `end`, without a last half pair.
void pack_whole_pairs(const Packing& x, std::int64_t begin, std::int64_t end) {
  const std::int64_t pairs = x.panels.k / 2;
  if (x.inner == 1) {
    for (std::int64_t j = begin; j < end; ++j)
      pack_contiguous(x.line(j), x.lines_of(j), 2 * pairs, x.outer, x.pair(j, 0), x.panels.width);
    return;
  }
  // Adjacent panels together, because they read the same cache lines.
  constexpr std::int64_t kGroup = 4;
  for (std::int64_t group = begin; group < end; group += kGroup)
    for (std::int64_t p = 0; p < pairs; ++p)
      for (std::int64_t j = group; j < std::min(end, group + kGroup); ++j) {
        const BFloat16 *const low = x.line(j) + 2 * p * x.inner, *const high = low + x.inner;
        Bf16Pair* const to = x.pair(j, p);
        if (x.outer == 1)
          interleave(low, high, x.lines_of(j), to);
        else
          for (std::int64_t i = 0; i < x.lines_of(j); ++i)
            to[i] = make_pair(low[i * x.outer], high[i * x.outer]);
      }
}

void pack_panels(const Packing& x, std::int64_t begin, std::int64_t end) {
  const std::int64_t pairs = x.panels.pairs(), width = x.panels.width, whole = x.panels.k / 2;
  if (end == x.panels.count() && x.lines_of(end - 1) < width)
    std::fill_n(x.pair(end - 1, 0), pairs * width, 0);
  pack_whole_pairs(x, begin, end);
  if (whole == pairs) return;
  for (std::int64_t j = begin; j < end; ++j) {
    std::fill_n(x.pair(j, whole), width, 0);
    for (std::int64_t i = 0; i < x.lines_of(j); ++i)
      x.pair(j, whole)[i] = x.line(j)[i * x.outer + 2 * whole * x.inner].bits;
  }
}

}  // namespace

void pack_bf16(const BFloat16* from, std::int64_t outer, std::int64_t inner,
               const Bf16Panels& panels, Bf16Pair* to) {
  const Packing packing{from, outer, inner, panels, to};
  const std::int64_t grain = 1 + 32768 / (1 + panels.pairs() * panels.width);
  parallel_for(0, panels.count(), grain,
               [&](std::int64_t begin, std::int64_t end) { pack_panels(packing, begin, end); });
}

}  // namespace taper::cpu

#endif
