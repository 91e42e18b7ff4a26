// Output channels that do not fill a vector: dot products along kernel rows, which are contiguous
// in the input. A register tile would compute mostly unused lanes.
#if defined(TAPER_CPU_CONV_NATIVE_REMAINDER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_CONV_NATIVE_REMAINDER_INL_H_
#undef TAPER_CPU_CONV_NATIVE_REMAINDER_INL_H_
#else
#define TAPER_CPU_CONV_NATIVE_REMAINDER_INL_H_
#endif

#include <hwy/highway.h>

#include "cpu/conv/native.h"
#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_native {
namespace HWY_NAMESPACE {
namespace ops = taper::cpu::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMaxRemainder = 4;

/// Returns how many of the last channels to compute as dot products; 0 if the tile computes all
/// channels.
inline std::int64_t remainder_channels(const ConvLoops& l, std::int64_t lanes) {
  const std::int64_t remainder = l.co % lanes;
  if (remainder == 0 || remainder > kMaxRemainder || l.co < lanes) return 0;
  // Cost estimate: dot products are bound by loads, and each ends with a sum across lanes.
  const std::int64_t dots = l.kh * ((l.run + lanes - 1) / lanes) * 3 / 2 + 10;
  return remainder * dots < l.kh * l.run * 3 / 5 ? remainder : 0;
}

/// Packs the last `remainder` channels of (O, C, KH, KW), of which `w` points to the first, into
/// [remainder][KH][KW][C].
inline void pack_remainder(const ConvLoops& l, const float* w, std::int64_t remainder, float* out) {
  for (std::int64_t o = 0; o < remainder; ++o, w += l.ci * l.kh * l.kw)
    for (std::int64_t k = 0; k < l.kh * l.kw; ++k)
      for (std::int64_t c = 0; c < l.ci; ++c) *out++ = w[c * l.kh * l.kw + k];
}

/// Computes `P` pixels of `R` channels.
template <int P, int R, class D> HWY_INLINE void remainder_block(D d, const ConvLoops& l,
                                                                 const float* x, const float* w,
                                                                 const float* bias, float* y) {
  using V = hn::Vec<D>;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t step = l.sw * l.ci, all = l.kh * l.run;
  V sums[P][R];
  HWY_UNROLL(8)
  for (int p = 0; p < P; ++p) {
    HWY_UNROLL(8)
    for (int r = 0; r < R; ++r) sums[p][r] = hn::Zero(d);
  }
  for (std::int64_t i = 0; i < l.kh; ++i, x += l.dh * l.row, w += l.run) {
    const auto add = [&](auto load, std::int64_t k) HWY_ATTR {
      V wv[R];
      HWY_UNROLL(8)
      for (int r = 0; r < R; ++r) wv[r] = load(w + r * all + k);
      HWY_UNROLL(8)
      for (int p = 0; p < P; ++p) {
        const V xv = load(x + p * step + k);
        HWY_UNROLL(8)
        for (int r = 0; r < R; ++r) sums[p][r] = hn::MulAdd(xv, wv[r], sums[p][r]);
      }
    };
    std::int64_t k = 0;
    for (; k + lanes <= l.run; k += lanes)
      add([&](const float* at) HWY_ATTR { return hn::LoadU(d, at); }, k);
    if (k < l.run) {
      const auto few = static_cast<std::size_t>(l.run - k);
      add([&](const float* at) HWY_ATTR { return ops::load_n(d, at, few); }, k);
    }
  }
  for (int p = 0; p < P; ++p)
    for (int r = 0; r < R; ++r)
      y[p * l.co + r] =
          hn::GetLane(hn::SumOfLanes(d, sums[p][r])) + (bias != nullptr ? bias[r] : 0.0f);
}

template <int R, class D> HWY_NOINLINE void remainder_rows(D d, const ConvLoops& l, const float* x,
                                                           const float* w, const float* bias,
                                                           float* y, std::int64_t rows) {
  const std::int64_t step = l.sw * l.ci;
  for (std::int64_t h = 0; h < rows; ++h, x += l.sh * l.row, y += l.wo * l.co) {
    std::int64_t p = 0;
    for (; p + 4 <= l.wo; p += 4) remainder_block<4, R>(d, l, x + p * step, w, bias, y + p * l.co);
    for (; p < l.wo; ++p) remainder_block<1, R>(d, l, x + p * step, w, bias, y + p * l.co);
  }
}

/// Computes the last `remainder` channels of `rows` output rows. `bias` and `y` point to the first
/// of these channels.
template <class D>
HWY_INLINE void forward_remainder(D d, const ConvLoops& l, std::int64_t remainder, const float* x,
                                  const float* w, const float* bias, float* y, std::int64_t rows) {
  static_assert(kMaxRemainder == 4);
  if (remainder == 1) return remainder_rows<1>(d, l, x, w, bias, y, rows);
  if (remainder == 2) return remainder_rows<2>(d, l, x, w, bias, y, rows);
  if (remainder == 3) return remainder_rows<3>(d, l, x, w, bias, y, rows);
  remainder_rows<4>(d, l, x, w, bias, y, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_native
HWY_AFTER_NAMESPACE();
#endif
