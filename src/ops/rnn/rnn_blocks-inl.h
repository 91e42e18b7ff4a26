// Products of a step with packed blocks of recurrent weights, and access to parts of vectors.
#if defined(TAPER_OPS_RNN_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_OPS_RNN_BLOCKS_INL_H_
#undef TAPER_OPS_RNN_BLOCKS_INL_H_
#else
#define TAPER_OPS_RNN_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include "cpu/gemm/pack-inl.h"
#include "cpu/gemm/tile-inl.h"
#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::rnn::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math = cpu::HWY_NAMESPACE;
namespace tile = cpu::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

/// Maximum number of rows whose products are computed at a time: several register tiles, whose
/// results fit in the first-level cache.
constexpr std::int64_t kRows = 24;

HWY_INLINE std::int64_t kLanes() { return static_cast<std::int64_t>(hn::Lanes(D())); }

/// Loads and stores of the lanes that are within a range of elements.
struct Lanes {
  std::size_t n;
  bool full;
  /// `rest` is the number of elements up to the end of the range, at least 1.
  HWY_INLINE explicit Lanes(std::int64_t rest)
      : n(static_cast<std::size_t>(rest)), full(rest >= kLanes()) {}
  HWY_INLINE V load(const float* p) const {
    return full ? hn::LoadU(D(), p) : math::load_n(D(), p, n);
  }
  HWY_INLINE void store(V v, float* p) const {
    if (full)
      hn::StoreU(v, D(), p);
    else
      math::store_n(v, D(), p, n);
  }
};

/// Computes c (rows, vectors) = a (rows, k) * packed (k, vectors), or adds to c. `packed` consists
/// of k rows of `vectors` vectors.
template <int vectors> HWY_INLINE void multiply(std::int64_t rows, std::int64_t k, const float* a,
                                                std::int64_t a_row, const float* packed, float* c,
                                                std::int64_t c_row, bool accumulate) {
  constexpr int step = vectors % tile::kTileVectors == 0 ? tile::kTileVectors : 3;
  static_assert(vectors % step == 0);
  const tile::Epilogue<float> epilogue{.accumulate = accumulate};
  const std::int64_t lanes = kLanes();
  tile::Tile<float> t{.k = k,
                      .a = a,
                      .a_row = a_row,
                      .a_col = 1,
                      .b = packed,
                      .b_row = vectors * lanes,
                      .c = c,
                      .c_row = c_row,
                      .last = static_cast<std::size_t>(lanes)};
  // A tile of one row has too few independent sums to hide the latency of multiply-adds.
  if (rows == 1) return tile::tile<1, vectors, false>(D(), t, epilogue);
  for (int v = 0; v < vectors; v += step, t.b += step * lanes, t.c += step * lanes)
    tile::tile_column<step, false>(D(), rows, t, epilogue);
}

}  // namespace taper::rnn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
