// Packing of columns of B for the register tile: rows of whole vectors, padded with zeros or
// copies.
#if defined(TAPER_CPU_GEMM_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_GEMM_PACK_INL_H_
#undef TAPER_CPU_GEMM_PACK_INL_H_
#else
#define TAPER_CPU_GEMM_PACK_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// Returns a vector whose 16-byte block i is loaded from `columns[i * step] + k`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* const* columns, std::size_t step, std::int64_t k) {
  if constexpr (hn::MaxLanes(D()) * sizeof(T) <= 16) {
    return hn::LoadU(d, columns[0] + k);
  } else {
    const hn::Half<D> dh;
    const std::size_t blocks = hn::MaxLanes(dh) * sizeof(T) / 16;
    return hn::Combine(d, load_blocks(dh, columns + blocks * step, step, k),
                       load_blocks(dh, columns, step, k));
  }
}

/// Transposes 16-byte blocks in registers: columns, contiguous along k, become rows.
template <class D> HWY_INLINE void transpose_blocks(D d, hn::Vec<D>* r) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const auto low = hn::InterleaveLower(d, r[0], r[1]);
    r[1] = hn::InterleaveUpper(d, r[0], r[1]);
    r[0] = low;
  } else {
    const hn::Repartition<double, D> dw;
    const auto t0 = hn::BitCast(dw, hn::InterleaveLower(d, r[0], r[1]));
    const auto t1 = hn::BitCast(dw, hn::InterleaveUpper(d, r[0], r[1]));
    const auto t2 = hn::BitCast(dw, hn::InterleaveLower(d, r[2], r[3]));
    const auto t3 = hn::BitCast(dw, hn::InterleaveUpper(d, r[2], r[3]));
    r[0] = hn::BitCast(d, hn::InterleaveLower(dw, t0, t2));
    r[1] = hn::BitCast(d, hn::InterleaveUpper(dw, t0, t2));
    r[2] = hn::BitCast(d, hn::InterleaveLower(dw, t1, t3));
    r[3] = hn::BitCast(d, hn::InterleaveUpper(dw, t1, t3));
  }
}

#endif

/// Packs out[k][vectors * lanes] from `n` columns of B that are contiguous along k and `b_col`
/// apart. Lanes beyond n repeat the last column; results in them are never stored.
template <class D, class T = hn::TFromD<D>>
HWY_NOINLINE void pack_transposed(D d, std::int64_t k_end, std::int64_t n, const T* b,
                                  std::ptrdiff_t b_col, T* HWY_RESTRICT out) {
  const std::size_t lanes = hn::Lanes(d);
  const std::int64_t step = static_cast<std::int64_t>(lanes);
  const std::int64_t row = (n + step - 1) / step * step;
  const T* columns[HWY_MAX_BYTES / sizeof(T)];
  for (std::int64_t j = 0; j < n; j += step) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::int64_t column = j + static_cast<std::int64_t>(l);
      columns[l] = b + (column < n ? column : n - 1) * b_col;
    }
    T* HWY_RESTRICT to = out + j;
    std::int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
    constexpr std::size_t width = 16 / sizeof(T);
    for (; k + static_cast<std::int64_t>(width) <= k_end; k += static_cast<std::int64_t>(width)) {
      hn::Vec<D> r[width];
      HWY_UNROLL(8)
      for (std::size_t i = 0; i < width; ++i) r[i] = load_blocks(d, columns + i, width, k);
      transpose_blocks(d, r);
      HWY_UNROLL(8)
      for (std::size_t i = 0; i < width; ++i, to += row) hn::StoreU(r[i], d, to);
    }
#endif
    for (; k < k_end; ++k, to += row)
      for (std::size_t l = 0; l < lanes; ++l) to[l] = columns[l][k];
  }
}

/// As pack_transposed, from rows of B that are contiguous along n and `b_row` apart. Lanes beyond n
/// are zero.
template <class D, class T = hn::TFromD<D>>
HWY_NOINLINE void pack_rows(D d, std::int64_t k_end, std::int64_t n, const T* b,
                            std::ptrdiff_t b_row, T* HWY_RESTRICT out) {
  const std::int64_t step = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t k = 0; k < k_end; ++k, b += b_row) {
    std::int64_t j = 0;
    for (; j + step <= n; j += step, out += step) hn::StoreU(hn::LoadU(d, b + j), d, out);
    if (j < n) {
      hn::StoreU(load_n(d, b + j, static_cast<std::size_t>(n - j)), d, out);
      out += step;
    }
  }
}

/// Packs `n` columns of B with any strides into out[k][vectors * lanes]. Lanes beyond n are zero.
template <class D, class T = hn::TFromD<D>>
HWY_NOINLINE void pack_strided(D d, std::int64_t k_end, std::int64_t n, const T* b,
                               std::ptrdiff_t b_row, std::ptrdiff_t b_col, T* HWY_RESTRICT out) {
  const std::int64_t step = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t row = (n + step - 1) / step * step;
  for (std::int64_t k = 0; k < k_end; ++k, out += row) {
    for (std::int64_t j = 0; j < n; ++j) out[j] = b[k * b_row + j * b_col];
    for (std::int64_t j = n; j < row; ++j) out[j] = T{0};
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
