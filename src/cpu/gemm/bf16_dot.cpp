#include "cpu/gemm/bf16_dot.h"

#include <algorithm>

#include "cpu/gemm/bf16_panels.h"
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
constexpr std::int64_t kTile = kRows * kColumns;

/// Computes the product of a panel of A and a panel of B into `tile` (kRows, kColumns).
[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void compute_tile(
    const Bf16Pair* a, const Bf16Pair* b, std::int64_t pairs, bool accumulate, float* tile) {
  __m512 sum[kRows][kVectors];
#pragma GCC unroll 8
  for (std::int64_t r = 0; r < kRows; ++r)
#pragma GCC unroll 3
    for (std::int64_t v = 0; v < kVectors; ++v)
      sum[r][v] =
          accumulate ? _mm512_load_ps(tile + r * kColumns + v * kLanes) : _mm512_setzero_ps();
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
#pragma GCC unroll 8
  for (std::int64_t r = 0; r < kRows; ++r)
#pragma GCC unroll 3
    for (std::int64_t v = 0; v < kVectors; ++v)
      _mm512_store_ps(tile + r * kColumns + v * kLanes, sum[r][v]);
}

// GCC 12 warns of the forms of the intrinsics below that take no mask (GCC bug 105593).
[[gnu::target("avx512f,avx512bw,avx512vl")]] inline __m512 load(const float* from, __mmask16 mask) {
  return _mm512_maskz_loadu_ps(mask, from);
}
[[gnu::target("avx512f,avx512bw,avx512vl")]] inline __m512 load(const BFloat16* from,
                                                                __mmask16 mask) {
  const __m512i bits = _mm512_maskz_cvtepu16_epi32(mask, _mm256_maskz_loadu_epi16(mask, from));
  return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(mask, bits, 16));
}
[[gnu::target("avx512f,avx512bw,avx512vl")]] inline void store(__m512 x, float* to,
                                                               __mmask16 mask) {
  _mm512_mask_storeu_ps(to, mask, x);
}
[[gnu::target("avx512f,avx512bw,avx512vl")]] inline void store(__m512 x, BFloat16* to,
                                                               __mmask16 mask) {
  // The instruction that converts would replace denormal numbers with zero, which other conversions
  // do not.
  const __m512i bits = _mm512_castps_si512(x), one = _mm512_set1_epi32(1);
  const __m512i odd = _mm512_and_si512(_mm512_maskz_srli_epi32(mask, bits, 16), one);
  const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  const __m512i rounded = _mm512_maskz_srli_epi32(mask, _mm512_add_epi32(bits, half), 16);
  const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __m512i result = _mm512_mask_mov_epi32(rounded, is_nan, _mm512_set1_epi32(0x7fc0));
  _mm256_mask_storeu_epi16(to, mask, _mm512_maskz_cvtepi32_epi16(mask, result));
}

/// Stores the elements of a tile that are in C, from row `i` and column `j` on.
template <class C>
[[gnu::target("avx512f,avx512bw,avx512vl")]] void store_tile(const float* tile,
                                                             const Gemm<BFloat16, C>& g,
                                                             const float* bias, std::int64_t i,
                                                             std::int64_t j) {
  const __m512 zero = _mm512_setzero_ps();
  const std::int64_t rows = std::min(kRows, g.m - i);
  for (std::int64_t v = 0; v < kVectors && j + v * kLanes < g.n; ++v) {
    const std::int64_t column = j + v * kLanes;
    const auto mask = static_cast<__mmask16>((1u << std::min(kLanes, g.n - column)) - 1);
    const __m512 addend = bias ? load(bias + column, mask) : zero;
    for (std::int64_t r = 0; r < rows; ++r) {
      C* const to = g.c + (i + r) * g.c_row + column;
      __m512 result = _mm512_add_ps(_mm512_load_ps(tile + r * kColumns + v * kLanes), addend);
      if (g.accumulate) result = _mm512_add_ps(result, load(to, mask));
      if (g.relu)
        result = _mm512_mask_mov_ps(result, _mm512_cmp_ps_mask(result, zero, _CMP_LT_OQ), zero);
      store(result, to, mask);
    }
  }
}

bool processor_has_bf16_dot() {
  static const bool has = __builtin_cpu_supports("avx512bf16") && get_cpu_capability() == "AVX512";
  return has;
}

template <class C> Bf16Panels panels_of_b(const Gemm<BFloat16, C>& g) {
  return {.lines = g.n, .k = g.k, .width = kColumns};
}

}  // namespace

bool has_bf16_dot(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t kMinProducts = 1 << 16;  // packing takes longer than it saves below
  return m >= kRows && n >= kLanes && k >= kLanes && m * n >= kMinProducts / k &&
         processor_has_bf16_dot();
}

template <class C> void gemm_bf16_dot(const Gemm<BFloat16, C>& g, const float* f32_bias) {
  const Bf16Panels a{.lines = g.m, .k = g.k, .width = kRows}, b = panels_of_b(g);
  const auto bytes = [](std::int64_t pairs) {
    return static_cast<std::size_t>(pairs) * sizeof(Bf16Pair);
  };
  const Scratch a_memory(bytes(a.size())), b_memory(g.panels ? 0 : bytes(b.size()));
  pack_bf16(g.a, g.a_row, g.a_col, a, a_memory.as<Bf16Pair>());
  if (!g.panels) pack_bf16(g.b, g.b_col, g.b_row, b, b_memory.as<Bf16Pair>());
  const Bf16Pair* const a_data = a_memory.as<Bf16Pair>();
  const Bf16Pair* const b_data =
      g.panels ? reinterpret_cast<const Bf16Pair*>(g.panels) : b_memory.as<Bf16Pair>();

  constexpr std::int64_t kPanelsPerBlock = kBlockRows / kRows;
  const std::int64_t blocks = (a.count() + kPanelsPerBlock - 1) / kPanelsPerBlock;
  parallel_for(0, blocks * b.count(), 1, [&](std::int64_t begin, std::int64_t end) {
    alignas(64) float tiles[kPanelsPerBlock * kTile];
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t first = task / b.count() * kPanelsPerBlock, column = task % b.count(),
                         last = std::min(a.count(), first + kPanelsPerBlock);
      for (std::int64_t start = 0; start < b.pairs(); start += kBlockPairs)
        for (std::int64_t p = first; p < last; ++p)
          compute_tile(a_data + a.offset(p, start), b_data + b.offset(column, start),
                       std::min(kBlockPairs, b.pairs() - start), start > 0,
                       tiles + (p - first) * kTile);
      for (std::int64_t p = first; p < last; ++p)
        store_tile(tiles + (p - first) * kTile, g, f32_bias, p * kRows, column * kColumns);
    }
  });
}

bool gemm_packs(const Gemm<BFloat16>& g) { return has_bf16_dot(g.m, g.n, g.k); }
std::int64_t gemm_panels_size(const Gemm<BFloat16>& g) { return 2 * panels_of_b(g).size(); }
void gemm_pack(const Gemm<BFloat16>& g, BFloat16* panels) {
  pack_bf16(g.b, g.b_col, g.b_row, panels_of_b(g), reinterpret_cast<Bf16Pair*>(panels));
}

#else

bool has_bf16_dot(std::int64_t, std::int64_t, std::int64_t) { return false; }
template <class C> void gemm_bf16_dot(const Gemm<BFloat16, C>&, const float*) {}
bool gemm_packs(const Gemm<BFloat16>&) { return false; }
std::int64_t gemm_panels_size(const Gemm<BFloat16>&) { return 0; }
void gemm_pack(const Gemm<BFloat16>&, BFloat16*) {}

#endif

template void gemm_bf16_dot(const Gemm<BFloat16, float>&, const float*);
template void gemm_bf16_dot(const Gemm<BFloat16, BFloat16>&, const float*);

}  // namespace taper::cpu
