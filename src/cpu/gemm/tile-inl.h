// Register tile of matrix products: MR rows by NV vectors of C, one pass over K.
#if defined(TAPER_CPU_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_GEMM_TILE_INL_H_
#undef TAPER_CPU_GEMM_TILE_INL_H_
#else
#define TAPER_CPU_GEMM_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Maximum number of vectors per tile, and maximum number of rows for a number of vectors. Both are
/// limited by the number of registers.
#if HWY_TARGET == HWY_AVX3
constexpr int kTileVectors = 4;
constexpr int tile_rows(int vectors) { return vectors == 4 ? 6 : 8; }
#else
constexpr int kTileVectors = 2;
constexpr int tile_rows(int vectors) { return vectors == 2 ? 6 : 8; }
#endif

/// Operations of a tile before and after the sum.
template <class T> struct Epilogue {
  const T* bias = nullptr;
  bool accumulate = false;
  bool relu = false;
};

/// Addresses and strides of the operands of a tile. The sum runs over `outer` times `k`: a second
/// level for convolutions, whose kernel rows are `a_outer` (in A) and `b_outer` (in B) apart.
template <class T> struct Tile {
  std::int64_t k;
  const T* a;
  std::ptrdiff_t a_row, a_col;
  const T* b = nullptr;
  std::ptrdiff_t b_row = 0;
  T* c;
  std::ptrdiff_t c_row;
  std::size_t last = 1;  // number of lanes of the last vector that are columns of C, at least 1
  std::int64_t outer = 1;
  std::ptrdiff_t a_outer = 0, b_outer = 0;
};

/// Computes one tile. If `MaskB` is true, lanes from `last` on of the last vector of B are not
/// read, because they may be outside of B.
template <int MR, int NV, bool MaskB, class D, class T = hn::TFromD<D>>
HWY_INLINE void tile(D d, const Tile<T>& t, const Epilogue<T>& epilogue) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  const auto load_last = [&](const T* p, bool masked)
                             HWY_ATTR { return masked ? load_n(d, p, t.last) : hn::LoadU(d, p); };
  V c[MR][NV];
  HWY_UNROLL(8)
  for (int v = 0; v < NV; ++v) {
    const std::size_t at = static_cast<std::size_t>(v) * lanes;
    V start = hn::Zero(d);
    if (epilogue.bias != nullptr) start = load_last(epilogue.bias + at, v == NV - 1);
    HWY_UNROLL(8)
    for (int r = 0; r < MR; ++r) c[r][v] = start;
    if (epilogue.accumulate) {
      HWY_UNROLL(8)
      for (int r = 0; r < MR; ++r)
        c[r][v] = hn::Add(c[r][v], load_last(t.c + r * t.c_row + at, v == NV - 1));
    }
  }
  const T* a_at = t.a;
  const T* b_at = t.b;
  const std::ptrdiff_t a_row = t.a_row, a_col = t.a_col, b_row = t.b_row;
  const std::int64_t k_end = t.k;
  for (std::int64_t o = 0; o < t.outer; ++o, a_at += t.a_outer, b_at += t.b_outer) {
    const T* HWY_RESTRICT a = a_at;
    const T* HWY_RESTRICT b = b_at;
    for (std::int64_t k = 0; k < k_end; ++k, a += a_col, b += b_row) {
      V bv[NV];
      HWY_UNROLL(8)
      for (int v = 0; v < NV; ++v)
        bv[v] = load_last(b + static_cast<std::size_t>(v) * lanes, MaskB && v == NV - 1);
      HWY_UNROLL(8)
      for (int r = 0; r < MR; ++r) {
        const V av = hn::Set(d, a[r * a_row]);
        HWY_UNROLL(8)
        for (int v = 0; v < NV; ++v) c[r][v] = hn::MulAdd(av, bv[v], c[r][v]);
      }
    }
  }
  HWY_UNROLL(8)
  for (int v = 0; v < NV; ++v) {
    const std::size_t at = static_cast<std::size_t>(v) * lanes;
    HWY_UNROLL(8)
    for (int r = 0; r < MR; ++r) {
      // hn::Max does not propagate NaN.
      const V y = epilogue.relu ? hn::IfThenElse(hn::Lt(c[r][v], hn::Zero(d)), hn::Zero(d), c[r][v])
                                : c[r][v];
      if (v == NV - 1)
        store_n(y, d, t.c + r * t.c_row + at, t.last);
      else
        hn::StoreU(y, d, t.c + r * t.c_row + at);
    }
  }
}

/// Computes a tile of `rows` rows, 1 to tile_rows(NV).
template <int NV, bool MaskB, int MR = tile_rows(NV), class D, class T = hn::TFromD<D>>
HWY_INLINE void dispatch_tile(D d, int rows, const Tile<T>& t, const Epilogue<T>& epilogue) {
  if constexpr (MR == 1) {
    tile<1, NV, MaskB>(d, t, epilogue);
  } else {
    if (rows == MR)
      tile<MR, NV, MaskB>(d, t, epilogue);
    else
      dispatch_tile<NV, MaskB, MR - 1>(d, rows, t, epilogue);
  }
}

/// Computes all rows of NV vectors of columns, in tiles of approximately equal size.
template <int NV, bool MaskB, class D, class T = hn::TFromD<D>>
HWY_NOINLINE void tile_column(D d, std::int64_t rows, Tile<T> t, const Epilogue<T>& epilogue) {
  constexpr std::int64_t max = tile_rows(NV);
  const std::int64_t count = (rows + max - 1) / max;
  if (count == 0) return;
  const std::int64_t smaller = rows / count, larger = rows - smaller * count;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t tile_height = smaller + (i < larger);
    dispatch_tile<NV, MaskB>(d, static_cast<int>(tile_height), t, epilogue);
    t.a += tile_height * t.a_row;
    t.c += tile_height * t.c_row;
  }
}

/// As tile_column, for 1 to kTileVectors vectors.
template <bool MaskB, class D, class T = hn::TFromD<D>>
HWY_INLINE void tile_columns(D d, int vectors, std::int64_t rows, const Tile<T>& t,
                             const Epilogue<T>& epilogue) {
  // A vector of one lane has none outside of B.
  constexpr bool masked = MaskB && HWY_TARGET != HWY_SCALAR;
  if (vectors == 1) return tile_column<1, masked>(d, rows, t, epilogue);
  if (kTileVectors == 2 || vectors == 2) return tile_column<2, masked>(d, rows, t, epilogue);
  if constexpr (kTileVectors == 4) {
    if (vectors == 3) return tile_column<3, masked>(d, rows, t, epilogue);
    tile_column<4, masked>(d, rows, t, epilogue);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
