#include <algorithm>

#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"
#include "cpu/simd/targets.h"
#include "cpu/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gemm/gemm.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/gemm/dot-inl.h"
#include "cpu/gemm/pack-inl.h"
#include "cpu/gemm/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {

// Maximum depth of one pass over k, with B packed and with B read in place: a panel of this depth
// fits in the second-level cache.
constexpr std::int64_t kDepth = 384, kDepthInPlace = 1024;

/// Returns true if the tile may read B without packing.
template <class T> bool use_in_place(const Gemm<T>& g, [[maybe_unused]] std::size_t lanes) {
#if TAPER_SIMD_MASKED_MOVES
  return g.b_col == 1;
#else
  return g.b_col == 1 && static_cast<std::size_t>(g.n) % lanes == 0;
#endif
}

/// Returns true if dot products are faster than the tile: C has few rows and B is transposed, so
/// that packing B for the tile would cost more than it saves.
template <class T> bool use_dots(const Gemm<T>& g) {
  return g.b_row == 1 && g.a_col == 1 && g.m <= kDotRows &&
         g.k >= static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
}

/// Packs rows [k0, k0 + k) of n columns of B from column `j` on.
template <class D, class T> void pack(D d, const Gemm<T>& g, std::int64_t k0, std::int64_t k,
                                      std::int64_t j, std::int64_t n, T* packed) {
  const T* const b = g.b + k0 * g.b_row + j * g.b_col;
  if (g.b_row == 1)
    pack_transposed(d, k, n, b, g.b_col, packed);
  else if (g.b_col == 1)
    pack_rows(d, k, n, b, g.b_row, packed);
  else
    pack_strided(d, k, n, b, g.b_row, g.b_col, packed);
}

/// Computes columns [begin, end) of C for rows [row, row + rows), panel by panel.
template <class T> void run_columns(const Gemm<T>& g, std::int64_t row, std::int64_t rows,
                                    std::int64_t begin, std::int64_t end) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t panel = kTileVectors * lanes;
  const bool in_place = use_in_place(g, hn::Lanes(d));
  const std::int64_t depth = std::min(g.k, in_place ? kDepthInPlace : kDepth);
  // Long sums are divided into passes of equal depth.
  const std::int64_t passes = g.k == depth ? 1 : (g.k + depth - 1) / depth;
  const std::int64_t pass_depth = passes == 1 ? g.k : (g.k + passes - 1) / passes;
  const Scratch scratch(
      in_place || g.panels ? 0 : static_cast<std::size_t>(pass_depth * panel) * sizeof(T));
  T* const packed = scratch.as<T>();
  for (std::int64_t j = begin; j < end; j += panel) {
    const std::int64_t n = std::min(panel, end - j);
    const int vectors = static_cast<int>((n + lanes - 1) / lanes);
    const std::size_t last = static_cast<std::size_t>(n - (vectors - 1) * lanes);
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      const std::int64_t k0 = pass * pass_depth, k = std::min(pass_depth, g.k - k0);
      const Epilogue<T> epilogue{.bias = pass == 0 && g.bias != nullptr ? g.bias + j : nullptr,
                                 .accumulate = pass > 0 || g.accumulate,
                                 .relu = g.relu && pass == passes - 1};
      Tile<T> t{.k = k,
                .a = g.a + row * g.a_row + k0 * g.a_col,
                .a_row = g.a_row,
                .a_col = g.a_col,
                .b = packed,
                .b_row = vectors * lanes,
                .c = g.c + row * g.c_row + j,
                .c_row = g.c_row,
                .last = last};
      if (in_place) {
        t.b = g.b + k0 * g.b_row + j * g.b_col;
        t.b_row = g.b_row;
        if (last == static_cast<std::size_t>(lanes))
          tile_columns<false>(d, vectors, rows, t, epilogue);
        else
          tile_columns<true>(d, vectors, rows, t, epilogue);
        continue;
      }
      if (g.panels)  // all preceding panels are full
        t.b = g.panels + j * g.k + k0 * t.b_row;
      else
        pack(d, g, k0, k, j, n, packed);
      tile_columns<false>(d, vectors, rows, t, epilogue);
    }
  }
}

template <class T> void run_product(const Gemm<T>& g) {
  const hn::ScalableTag<T> d;
  const bool dots = use_dots(g);
  const std::int64_t panel =
      dots ? kDotColumns : kTileVectors * static_cast<std::int64_t>(hn::Lanes(d));
  const auto columns = [&](std::int64_t row, std::int64_t rows, std::int64_t b, std::int64_t e) {
    if (dots)
      dot_columns(d, g, b, e);
    else
      run_columns(g, row, rows, b, e);
  };
  // Minimum number of multiply-adds for parallel execution.
  constexpr std::int64_t kMinParallelWork = 1 << 18;
  const std::int64_t work = g.m * g.n * std::max<std::int64_t>(g.k, 1);
  if (work <= kMinParallelWork) return columns(0, g.m, 0, g.n);
  const std::int64_t panels = (g.n + panel - 1) / panel, threads = available_threads();
  if (dots || panels >= 2 * threads || panels % threads == 0 || g.m < 16) {
    parallel_for(0, panels, std::max<std::int64_t>(1, kMinParallelWork * panels / (2 * work)),
                 [&](std::int64_t b, std::int64_t e) {
                   columns(0, g.m, b * panel, std::min(e * panel, g.n));
                 });
  } else {
    parallel_for(0, g.m, std::max<std::int64_t>(8, kMinParallelWork * g.m / (2 * work)),
                 [&](std::int64_t b, std::int64_t e) { columns(b, e - b, 0, g.n); });
  }
}

void run_f32(const Gemm<float>& g) { run_product(g); }
void run_f64(const Gemm<double>& g) { run_product(g); }

template <class T> bool packs(const Gemm<T>& g) {
  return !use_dots(g) && !use_in_place(g, hn::Lanes(hn::ScalableTag<T>()));
}
bool packs_f32(const Gemm<float>& g) { return packs(g); }
bool packs_f64(const Gemm<double>& g) { return packs(g); }

template <class T> std::int64_t panels_size(const Gemm<T>& g) {
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  return g.k * ((g.n + lanes - 1) / lanes * lanes);
}
std::int64_t panels_size_f32(const Gemm<float>& g) { return panels_size(g); }
std::int64_t panels_size_f64(const Gemm<double>& g) { return panels_size(g); }

template <class T> void pack_all(const Gemm<T>& g, T* panels) {
  const hn::ScalableTag<T> d;
  const std::int64_t panel = kTileVectors * static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t j = 0; j < g.n; j += panel)
    pack(d, g, 0, g.k, j, std::min(panel, g.n - j), panels + j * g.k);
}
void pack_all_f32(const Gemm<float>& g, float* panels) { pack_all(g, panels); }
void pack_all_f64(const Gemm<double>& g, double* panels) { pack_all(g, panels); }

template <class T> void sum_columns(std::int64_t m, std::int64_t n, const T* x, std::int64_t x_row,
                                    T* out, bool accumulate) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t j = 0; j < n; j += lanes) {
    const std::size_t num_columns = static_cast<std::size_t>(std::min(lanes, n - j));
    const bool is_full = num_columns == hn::Lanes(d);
    const auto at = [&](const T* p)
                        HWY_ATTR { return is_full ? hn::LoadU(d, p) : load_n(d, p, num_columns); };
    const T* p = x + j;
    auto s0 = accumulate ? at(out + j) : hn::Zero(d), s1 = hn::Zero(d), s2 = s1, s3 = s1;
    std::int64_t i = 0;
    for (; i + 4 <= m; i += 4, p += 4 * x_row) {
      s0 = hn::Add(s0, at(p));
      s1 = hn::Add(s1, at(p + x_row));
      s2 = hn::Add(s2, at(p + 2 * x_row));
      s3 = hn::Add(s3, at(p + 3 * x_row));
    }
    for (; i < m; ++i, p += x_row) s0 = hn::Add(s0, at(p));
    store_n(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), d, out + j, num_columns);
  }
}

void sum_columns_f32(std::int64_t m, std::int64_t n, const float* x, std::int64_t x_row, float* out,
                     bool accumulate) {
  sum_columns(m, n, x, x_row, out, accumulate);
}
void sum_columns_f64(std::int64_t m, std::int64_t n, const double* x, std::int64_t x_row,
                     double* out, bool accumulate) {
  sum_columns(m, n, x, x_row, out, accumulate);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

HWY_EXPORT(run_f32);
HWY_EXPORT(run_f64);
HWY_EXPORT(packs_f32);
HWY_EXPORT(packs_f64);
HWY_EXPORT(panels_size_f32);
HWY_EXPORT(panels_size_f64);
HWY_EXPORT(pack_all_f32);
HWY_EXPORT(pack_all_f64);
HWY_EXPORT(sum_columns_f32);
HWY_EXPORT(sum_columns_f64);

void gemm_native(const Gemm<float>& g) {
  if (g.m > 0 && g.n > 0) HWY_DYNAMIC_DISPATCH(run_f32)(g);
}
void gemm_native(const Gemm<double>& g) {
  if (g.m > 0 && g.n > 0) HWY_DYNAMIC_DISPATCH(run_f64)(g);
}

bool gemm_packs(const Gemm<float>& g) { return HWY_DYNAMIC_DISPATCH(packs_f32)(g); }
bool gemm_packs(const Gemm<double>& g) { return HWY_DYNAMIC_DISPATCH(packs_f64)(g); }
std::int64_t gemm_panels_size(const Gemm<float>& g) {
  return HWY_DYNAMIC_DISPATCH(panels_size_f32)(g);
}
std::int64_t gemm_panels_size(const Gemm<double>& g) {
  return HWY_DYNAMIC_DISPATCH(panels_size_f64)(g);
}
void gemm_pack(const Gemm<float>& g, float* panels) {
  HWY_DYNAMIC_DISPATCH(pack_all_f32)(g, panels);
}
void gemm_pack(const Gemm<double>& g, double* panels) {
  HWY_DYNAMIC_DISPATCH(pack_all_f64)(g, panels);
}

void column_sums(std::int64_t m, std::int64_t n, const float* x, std::int64_t x_row, float* out,
                 bool accumulate) {
  HWY_DYNAMIC_DISPATCH(sum_columns_f32)(m, n, x, x_row, out, accumulate);
}
void column_sums(std::int64_t m, std::int64_t n, const double* x, std::int64_t x_row, double* out,
                 bool accumulate) {
  HWY_DYNAMIC_DISPATCH(sum_columns_f64)(m, n, x, x_row, out, accumulate);
}

}  // namespace taper::cpu
#endif
