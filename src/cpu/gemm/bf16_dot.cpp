#include "cpu/gemm/bf16_dot.h"

#include <algorithm>
#include <cstring>

#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "taper/core/cpu_capability.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace taper::cpu {

#if defined(__x86_64__)

namespace {

// A tile of C is held in kRows * kVectors registers.
constexpr std::int64_t kRows = 8, kVectors = 3, kLanes = 16, kColumns = kVectors * kLanes;
constexpr std::int64_t kBlockRows = 64;    // rows of C of one task
constexpr std::int64_t kBlockPairs = 512;  // pairs along K, whose panels of A and B fit into caches

using Pair = std::uint32_t;  // elements 2p (low half) and 2p + 1 along K

/// A factor in panels of `width` rows of A or columns of B: for each panel, all pairs along K, and
/// for each of these a pair per row or column. Missing elements are zero.
class Panels {
 public:
  /// Element (i, k) of the factor is `from[i * outer + k * inner]`.
  Panels(const BFloat16* from, std::int64_t count, std::int64_t k, std::int64_t outer,
         std::int64_t inner, std::int64_t width)
      : pairs_((k + 1) / 2),
        width_(width),
        count_((count + width - 1) / width),
        memory_(static_cast<std::size_t>(count_ * pairs_ * width) * sizeof(Pair)) {
    const std::int64_t grain = 1 + 32768 / (1 + pairs_ * width);
    parallel_for(0, count_, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p)
        pack(from + p * width * outer, std::min(width, count - p * width), k, outer, inner,
             memory_.as<Pair>() + p * pairs_ * width);
    });
  }
  std::int64_t count() const { return count_; }
  std::int64_t pairs() const { return pairs_; }
  const Pair* panel(std::int64_t p, std::int64_t pair) const {
    return memory_.as<Pair>() + (p * pairs_ + pair) * width_;
  }

 private:
  void pack(const BFloat16* from, std::int64_t rows, std::int64_t k, std::int64_t outer,
            std::int64_t inner, Pair* to) const {
    if (rows < width_) std::memset(to, 0, static_cast<std::size_t>(pairs_ * width_) * sizeof(Pair));
    const std::int64_t whole = k / 2;
    if (inner == 1) {
      // Blocks of a cache line of each row, so that the lines that are written stay in the cache.
      constexpr std::int64_t kBlock = 16;
      for (std::int64_t start = 0; start < whole; start += kBlock)
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t p = start; p < std::min(whole, start + kBlock); ++p)
            std::memcpy(to + p * width_ + i, from + i * outer + 2 * p, sizeof(Pair));
    } else {
      for (std::int64_t p = 0; p < whole; ++p) {
        const BFloat16 *const low = from + 2 * p * inner, *const high = low + inner;
        for (std::int64_t i = 0; i < rows; ++i)
          to[p * width_ + i] = low[i * outer].bits | static_cast<Pair>(high[i * outer].bits) << 16;
      }
    }
    if (whole < pairs_)
      for (std::int64_t i = 0; i < rows; ++i)
        to[whole * width_ + i] = from[i * outer + 2 * whole * inner].bits;
  }

  std::int64_t pairs_, width_, count_;
  Scratch memory_;
};

/// A tile of C, and how its results are stored.
struct Tile {
  float* c = nullptr;
  std::int64_t c_row = 0, rows = 0, columns = 0;
  bool accumulate = false, relu = false;
  const float* bias = nullptr;
};

[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void compute_tile(const Pair* a,
                                                                          const Pair* b,
                                                                          std::int64_t pairs,
                                                                          const Tile& tile) {
  __m512 sum[kRows][kVectors];
#pragma GCC unroll 8
  for (std::int64_t r = 0; r < kRows; ++r)
#pragma GCC unroll 3
    for (std::int64_t v = 0; v < kVectors; ++v) sum[r][v] = _mm512_setzero_ps();
  for (std::int64_t p = 0; p < pairs; ++p, a += kRows, b += kColumns) {
    const __m512bh b0 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b)),
                   b1 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + kLanes)),
                   b2 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + 2 * kLanes));
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < kRows; ++r) {
      const __m512bh x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[r])));
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], x, b0);
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], x, b1);
      sum[r][2] = _mm512_dpbf16_ps(sum[r][2], x, b2);
    }
  }
  const __m512 zero = _mm512_setzero_ps();
#pragma GCC unroll 3
  for (std::int64_t v = 0; v < kVectors; ++v) {
    const std::int64_t left = std::clamp<std::int64_t>(tile.columns - v * kLanes, 0, kLanes);
    const auto mask = static_cast<__mmask16>((1u << left) - 1);
    const __m512 bias = tile.bias ? _mm512_maskz_loadu_ps(mask, tile.bias + v * kLanes) : zero;
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < kRows; ++r) {
      if (r >= tile.rows) continue;
      float* const to = tile.c + r * tile.c_row + v * kLanes;
      __m512 result = _mm512_add_ps(sum[r][v], bias);
      if (tile.accumulate) result = _mm512_add_ps(result, _mm512_maskz_loadu_ps(mask, to));
      if (tile.relu)
        result = _mm512_mask_mov_ps(result, _mm512_cmp_ps_mask(result, zero, _CMP_LT_OQ), zero);
      _mm512_mask_storeu_ps(to, mask, result);
    }
  }
}

bool processor_has_bf16_dot() {
  static const bool has = __builtin_cpu_supports("avx512bf16") && get_cpu_capability() == "AVX512";
  return has;
}

}  // namespace

bool has_bf16_dot(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t kMinProducts = 1 << 16;  // packing takes longer than it saves below
  return m >= kRows && n >= kLanes && k >= kLanes && m * n >= kMinProducts / k &&
         processor_has_bf16_dot();
}

void gemm_bf16_dot(const Gemm<BFloat16, float>& g, const float* f32_bias) {
  const Panels a(g.a, g.m, g.k, g.a_row, g.a_col, kRows),
      b(g.b, g.n, g.k, g.b_col, g.b_row, kColumns);
  constexpr std::int64_t kPanelsPerBlock = kBlockRows / kRows;
  const std::int64_t blocks = (a.count() + kPanelsPerBlock - 1) / kPanelsPerBlock;
  for (std::int64_t start = 0; start < a.pairs(); start += kBlockPairs) {
    const std::int64_t pairs = std::min(kBlockPairs, a.pairs() - start);
    const bool is_first = start == 0, is_last = start + pairs == a.pairs();
    parallel_for(0, blocks * b.count(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t block = task / b.count(), column = task % b.count() * kColumns;
        const std::int64_t last = std::min(a.count(), (block + 1) * kPanelsPerBlock);
        for (std::int64_t p = block * kPanelsPerBlock; p < last; ++p)
          compute_tile(a.panel(p, start), b.panel(task % b.count(), start), pairs,
                       {.c = g.c + p * kRows * g.c_row + column,
                        .c_row = g.c_row,
                        .rows = std::min(kRows, g.m - p * kRows),
                        .columns = std::min(kColumns, g.n - column),
                        .accumulate = g.accumulate || !is_first,
                        .relu = g.relu && is_last,
                        .bias = is_last && f32_bias ? f32_bias + column : nullptr});
      }
    });
  }
}

#else

bool has_bf16_dot(std::int64_t, std::int64_t, std::int64_t) { return false; }
void gemm_bf16_dot(const Gemm<BFloat16, float>&, const float*) {}

#endif

}  // namespace taper::cpu
