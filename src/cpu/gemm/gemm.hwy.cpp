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
constexpr std::int64_t kDepth = 384, kDepthInPlace = 128;

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

/// One pass over k, from `begin` on.
struct Pass {
  std::int64_t begin, size;
  bool is_first, is_last;
};

/// Passes of equal size, at most `max_size`, over k. There is one pass if k is 0.
struct Passes {
  std::int64_t k, count, size;
  Passes(std::int64_t k_, std::int64_t max_size)
      : k(k_),
        count(std::max<std::int64_t>(1, (k + max_size - 1) / max_size)),
        size((k + count - 1) / count) {}
  Pass operator[](std::int64_t i) const {
    return {i * size, std::min(size, k - i * size), i == 0, i == count - 1};
  }
};

/// Returns true if `rows` rows of C are computed from B in place. Many rows repay packing B, unless
/// its rows are close together.
template <class T> bool reads_in_place(const Gemm<T>& g, std::int64_t rows, std::size_t lanes) {
  return use_in_place(g, lanes) && (rows < 48 || g.b_row < 256);
}

/// Rows of a pass, and columns [begin, begin + size), of B, as the tile reads them.
template <class T> struct Panel {
  std::int64_t begin = 0, size = 0;
  const T* b = nullptr;
  std::ptrdiff_t b_row = 0;
  bool in_place = false;
};

/// Returns a panel of B: in place, of g.panels, or packed into `packed`.
template <class D, class T> Panel<T> make_panel(D d, const Gemm<T>& g, bool in_place,
                                                const Pass& pass, std::int64_t begin,
                                                std::int64_t size, T* packed) {
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t width = (size + lanes - 1) / lanes * lanes;
  if (in_place) return {begin, size, g.b + pass.begin * g.b_row + begin * g.b_col, g.b_row, true};
  if (g.panels != nullptr)  // all preceding panels are full
    return {begin, size, g.panels + begin * g.k + pass.begin * width, width, false};
  pack(d, g, pass.begin, pass.size, begin, size, packed);
  return {begin, size, packed, width, false};
}

/// Computes `rows` rows of C in the columns of a panel. `t` has the size of the pass, A, and column
/// 0 of C.
template <class D, class T> void run_panel(D d, const Gemm<T>& g, const Pass& pass,
                                           const Panel<T>& panel, std::int64_t rows, Tile<T> t) {
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const int vectors = static_cast<int>((panel.size + lanes - 1) / lanes);
  const Epilogue<T> epilogue{
      .bias = pass.is_first && g.bias != nullptr ? g.bias + panel.begin : nullptr,
      .accumulate = !pass.is_first || g.accumulate,
      .relu = g.relu && pass.is_last};
  t.b = panel.b;
  t.b_row = panel.b_row;
  t.c += panel.begin;
  t.last = static_cast<std::size_t>(panel.size - (vectors - 1) * lanes);
  if (panel.in_place && t.last != hn::Lanes(d))
    tile_columns<true>(d, vectors, rows, t, epilogue);
  else
    tile_columns<false>(d, vectors, rows, t, epilogue);
}

/// Returns true if A is packed as well: its columns are contiguous and far apart, so that the tile
/// would read a few elements per page.
template <class T> bool packs_rows(const Gemm<T>& g) {
  return g.a_row == 1 && g.a_col >= 128 && g.m >= 32 && g.k >= 32 && g.n >= 32;
}

/// Number of rows that a call of the tile reads from a packed block of A, which fits in the
/// first-level cache.
constexpr std::int64_t kPackedRows = 12;

/// Packs rows [row, row + rows) of a pass of A into blocks of kPackedRows rows.
template <class T> void pack_rows_of_a(const Gemm<T>& g, const Pass& pass, std::int64_t row,
                                       std::int64_t rows, T* packed) {
  for (std::int64_t k = 0; k < pass.size; ++k) {
    const T* const from = g.a + row + (pass.begin + k) * g.a_col;
    for (std::int64_t r = 0; r < rows; r += kPackedRows) {
      const std::int64_t height = std::min(kPackedRows, rows - r);
      std::copy_n(from + r, height, packed + r * pass.size + k * height);
    }
  }
}

/// Computes columns [begin, end) of C for rows [row, row + rows). Blocks of rows stay in the
/// second-level cache while they are multiplied by several panels of B; few rows are multiplied by
/// one panel after another.
template <class T> void run_columns(const Gemm<T>& g, std::int64_t row, std::int64_t rows,
                                    std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kMaxPanels = 16, kPanelsOfFewRows = 4, kMaxRows = 96;
  const hn::ScalableTag<T> d;
  const std::int64_t width = kTileVectors * static_cast<std::int64_t>(hn::Lanes(d));
  const bool in_place = reads_in_place(g, rows, hn::Lanes(d)), packs_a = packs_rows(g);
  const std::int64_t max_rows = rows > kMaxRows ? kMaxRows : std::max<std::int64_t>(rows, 1);
  const bool few = rows <= kMaxRows && !in_place && !packs_a;
  const std::int64_t chunk = (few ? kPanelsOfFewRows : kMaxPanels) * width;
  const Passes passes(g.k, in_place && !packs_a ? kDepthInPlace : kDepth);
  const auto floats = [&](bool used, std::int64_t n) {
    return used ? static_cast<std::size_t>(n * passes.size) * sizeof(T) : 0;
  };
  const Scratch scratch_a(floats(packs_a, max_rows)),
      scratch_b(floats(!in_place && g.panels == nullptr, std::min(chunk, end - begin + width)));
  T* const a = scratch_a.as<T>();
  for (std::int64_t j = begin; j < end; j += chunk)
    for (std::int64_t i = 0; i < passes.count; ++i) {
      const Pass pass = passes[i];
      Panel<T> panels[kMaxPanels];
      int count = 0;
      for (std::int64_t p = j; p < std::min(j + chunk, end); p += width)
        panels[count++] = make_panel(d, g, in_place, pass, p, std::min(width, end - p),
                                     scratch_b.as<T>() + (p - j) * pass.size);
      for (std::int64_t r = 0; r < rows; r += max_rows) {
        const std::int64_t height = std::min(max_rows, rows - r);
        if (packs_a) pack_rows_of_a(g, pass, row + r, height, a);
        const std::int64_t step = packs_a ? kPackedRows : height;
        for (int p = 0; p < count; ++p)
          for (std::int64_t q = 0; q < height; q += step) {
            const std::int64_t n = std::min(step, height - q);
            run_panel(d, g, pass, panels[p], n,
                      Tile<T>{.k = pass.size,
                              .a = packs_a ? a + q * pass.size
                                           : g.a + (row + r) * g.a_row + pass.begin * g.a_col,
                              .a_row = packs_a ? 1 : g.a_row,
                              .a_col = packs_a ? n : g.a_col,
                              .c = g.c + (row + r + q) * g.c_row,
                              .c_row = g.c_row});
          }
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
  const bool by_columns =
      packs_rows(g) ? g.m < 16 * threads : panels >= 2 * threads || panels % threads == 0;
  if (dots || by_columns || g.m < 16) {
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

void gemm(const Gemm<float>& g) {
  if (g.m > 0 && g.n > 0) HWY_DYNAMIC_DISPATCH(run_f32)(g);
}
void gemm(const Gemm<double>& g) {
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
