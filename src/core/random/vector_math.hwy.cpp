#include "core/random/vector_math.h"

#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/random/vector_math.hwy.cpp"
#include <hwy/foreach_target.h>
// Must be included after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taper::random::HWY_NAMESPACE {

// Targets without a fused multiply-add would round twice; they use scalar loops instead.
#if HWY_NATIVE_FMA
namespace hn = hwy::HWY_NAMESPACE;

template <class T> void ScaleAndShift(T* x, std::int64_t n, T scale, T shift) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto a = hn::Set(d, scale), b = hn::Set(d, shift);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::MulAdd(hn::LoadU(d, x + i), a, b), d, x + i);
  for (; i < n; ++i) x[i] = std::fma(x[i], scale, shift);
}

template <class D, class V = hn::Vec<D>> HWY_INLINE V Log(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  auto e = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<23>(bits), hn::Set(di, 126)));
  auto m = hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(di, 0x007fffff)), hn::Set(di, 0x3f000000)));
  const auto one = hn::Set(d, 1.0f);
  const auto low = hn::Lt(m, hn::Set(d, 0.707106781186547524f));
  e = hn::Sub(e, hn::IfThenElseZero(low, one));
  m = hn::Add(hn::Sub(m, one), hn::IfThenElseZero(low, m));
  const auto z = hn::Mul(m, m);
  auto y = hn::Set(d, 7.0376836292e-2f);
  for (const float k : {-1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                        -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f})
    y = hn::MulAdd(y, m, hn::Set(d, k));
  y = hn::MulAdd(hn::Mul(y, m), z, hn::Mul(e, hn::Set(d, -2.12194440e-4f)));
  y = hn::NegMulAdd(z, hn::Set(d, 0.5f), y);
  return hn::MulAdd(e, hn::Set(d, 0.693359375f), hn::Add(m, y));
}

template <class D, class V = hn::Vec<D>> HWY_INLINE void SinCos(D d, V x, V& sine, V& cosine) {
  const hn::RebindToSigned<D> di;
  auto j = hn::ConvertTo(di, hn::Mul(x, hn::Set(d, 1.27323954473516f)));
  j = hn::And(hn::Add(j, hn::Set(di, 1)), hn::Set(di, ~1));
  const auto q = hn::ConvertTo(d, j);
  for (const float k : {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f})
    x = hn::MulAdd(q, hn::Set(d, k), x);
  const auto z = hn::Mul(x, x);
  auto c = hn::MulAdd(hn::Set(d, 2.443315711809948e-5f), z, hn::Set(d, -1.388731625493765e-3f));
  c = hn::MulAdd(c, z, hn::Set(d, 4.166664568298827e-2f));
  c = hn::Add(hn::MulAdd(hn::Mul(c, z), z, hn::Mul(hn::Neg(z), hn::Set(d, 0.5f))),
              hn::Set(d, 1.0f));
  auto s = hn::MulAdd(hn::Set(d, -1.9515295891e-4f), z, hn::Set(d, 8.3321608736e-3f));
  s = hn::MulAdd(s, z, hn::Set(d, -1.6666654611e-1f));
  s = hn::MulAdd(hn::Mul(s, z), x, x);
  const auto odd = hn::RebindMask(d, hn::TestBit(j, hn::Set(di, 2)));
  // The sign bit of the sine is bit 2 of j; that of the cosine is the inverse of bit 2 of j - 2.
  const auto four = hn::Set(di, 4);
  const auto sine_sign = hn::ShiftLeft<29>(hn::And(j, four));
  const auto cosine_sign = hn::ShiftLeft<29>(hn::AndNot(hn::Sub(j, hn::Set(di, 2)), four));
  sine = hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, sine_sign));
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), hn::BitCast(d, cosine_sign));
}

void BoxMuller(float* x, std::int64_t blocks, float mean, float std) {
  const hn::CappedTag<float, 8> d;
  const auto lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, std), shift = hn::Set(d, mean);
  for (std::int64_t block = 0; block < blocks; ++block, x += 16) {
    for (std::size_t j = 0; j < 8; j += lanes) {
      const auto u = hn::Sub(hn::Set(d, 1.0f), hn::LoadU(d, x + j));
      const auto t = hn::Mul(hn::Set(d, 2 * std::numbers::pi_v<float>), hn::LoadU(d, x + j + 8));
      const auto r = hn::Sqrt(hn::Mul(hn::Set(d, -2.0f), Log(d, u)));
      auto sine = t, cosine = t;
      SinCos(d, t, sine, cosine);
      hn::StoreU(hn::MulAdd(hn::Mul(r, cosine), scale, shift), d, x + j);
      hn::StoreU(hn::MulAdd(hn::Mul(r, sine), scale, shift), d, x + j + 8);
    }
  }
}

#else
template <class T> void ScaleAndShift(T* x, std::int64_t n, T scale, T shift) {
  for (std::int64_t i = 0; i < n; ++i) x[i] = std::fma(x[i], scale, shift);
}

void BoxMuller(float* x, std::int64_t blocks, float mean, float std) {
  for (std::int64_t block = 0; block < blocks; ++block, x += 16) {
    for (int j = 0; j < 8; ++j) {
      const float r = std::sqrt(-2.0f * log_polynomial(1.0f - x[j]));
      const SinCos t = sincos_polynomial(2 * std::numbers::pi_v<float> * x[j + 8]);
      x[j] = std::fma(r * t.cosine, std, mean);
      x[j + 8] = std::fma(r * t.sine, std, mean);
    }
  }
}
#endif

void ScaleAndShiftF64(double* x, std::int64_t n, double a, double b) { ScaleAndShift(x, n, a, b); }
void ScaleAndShiftF32(float* x, std::int64_t n, float a, float b) { ScaleAndShift(x, n, a, b); }

}  // namespace taper::random::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::random {

HWY_EXPORT(ScaleAndShiftF64);
HWY_EXPORT(ScaleAndShiftF32);
HWY_EXPORT(BoxMuller);

void scale_and_shift(double* x, std::int64_t n, double scale, double shift) {
  if (scale == 1 && shift == 0) return;
  HWY_DYNAMIC_DISPATCH(ScaleAndShiftF64)(x, n, scale, shift);
}

void scale_and_shift(float* x, std::int64_t n, float scale, float shift) {
  if (scale == 1 && shift == 0) return;
  HWY_DYNAMIC_DISPATCH(ScaleAndShiftF32)(x, n, scale, shift);
}

void box_muller(float* x, std::int64_t blocks, float mean, float std) {
  HWY_DYNAMIC_DISPATCH(BoxMuller)(x, blocks, mean, std);
}

}  // namespace taper::random
#endif
