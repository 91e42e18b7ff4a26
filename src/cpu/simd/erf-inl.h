// Error function, f32 and f64. Included through math-inl.h.
#if defined(TAPER_CPU_SIMD_ERF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_ERF_INL_H_
#undef TAPER_CPU_SIMD_ERF_INL_H_
#else
#define TAPER_CPU_SIMD_ERF_INL_H_
#endif

#include <hwy/highway.h>

#include "cpu/simd/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes erf of |x| in f32: a polynomial near 0, otherwise 1 - e^-polynomial.
template <class D, class V = hn::Vec<D>> HWY_INLINE V erf_f32(D d, V x) {
  const V t = hn::Abs(x), s = hn::Mul(x, x);
  V r = hn::MulAdd(hn::Set(d, -1.72853470e-5f), t, hn::Set(d, 3.83197126e-4f));
  const V u = hn::MulAdd(hn::Set(d, -3.88396438e-3f), t, hn::Set(d, 2.42546219e-2f));
  r = hn::MulAdd(r, s, u);
  r = horner(d, t, r, -1.06777877e-1f, -6.34846687e-1f, -1.28717512e-1f);
  r = hn::MulAdd(r, t, hn::Neg(t));
  const V large = hn::Sub(hn::Set(d, 1.0f), vec_exp(d, r));
  V p = horner(d, s, hn::Set(d, -5.96761703e-4f), 4.99119423e-3f, -2.67681349e-2f, 1.12819925e-1f,
               -3.76125336e-1f, 1.28379166e-1f);
  p = hn::MulAdd(p, t, t);
  // Beyond 4 the result is 1 and the polynomial is inaccurate.
  const V far = hn::IfThenElse(hn::Gt(t, hn::Set(d, 4.0f)), hn::Set(d, 1.0f), large);
  return hn::IfThenElse(hn::Gt(t, hn::Set(d, 0.927734375f)), far, p);
}

/// Computes erfc(c) of c in [1.25, 28] in f64 with the approximations of fdlibm on both sides of
/// 1 / 0.35: e^(-c^2 - 0.5625 + R / S) / c.
template <class D, class V = hn::Vec<D>> HWY_INLINE V erfc_tail_f64(D d, V c) {
  const V s = hn::Div(hn::Set(d, 1.0), hn::Mul(c, c));
  const V ra =
      horner(d, s, hn::Set(d, -9.81432934416914548592e+00), -8.12874355063065934246e+01,
             -1.84605092906711035994e+02, -1.62396669462573470355e+02, -6.23753324503260060396e+01,
             -1.05586262253232909814e+01, -6.93858572707181764372e-01, -9.86494403484714822705e-03);
  const V sa = horner(d, s, hn::Set(d, -6.04244152148580987438e-02), 6.57024977031928170135e+00,
                      1.08635005541779435134e+02, 4.29008140027567833386e+02,
                      6.45387271733267880336e+02, 4.34565877475229228821e+02,
                      1.37657754143519042600e+02, 1.96512716674392571292e+01, 1.0);
  const V rb =
      horner(d, s, hn::Set(d, -4.83519191608651397019e+02), -1.02509513161107724954e+03,
             -6.37566443368389627722e+02, -1.60636384855821916062e+02, -1.77579549177547519889e+01,
             -7.99283237680523006574e-01, -9.86494292470009928597e-03);
  const V sb =
      horner(d, s, hn::Set(d, -2.24409524465858183362e+01), 4.74528541206955367215e+02,
             2.55305040643316442583e+03, 3.19985821950859553908e+03, 1.53672958608443695994e+03,
             3.25792512996573918826e+02, 3.03380607434824582924e+01, 1.0);
  const auto is_far = hn::Ge(c, hn::Set(d, 1.0 / 0.35));
  const V ratio = hn::Div(hn::IfThenElse(is_far, rb, ra), hn::IfThenElse(is_far, sb, sa));
  // The square is split into a part that is exact in 53 bits and a small remainder.
  const hn::RebindToUnsigned<D> du;
  const V high = hn::BitCast(
      d,
      hn::And(hn::BitCast(du, c), hn::Set(du, static_cast<std::uint64_t>(0xffffffff00000000ULL))));
  const V e1 = vec_exp(d, hn::NegMulAdd(high, high, hn::Set(d, -0.5625)));
  const V e2 = vec_exp(d, hn::MulAdd(hn::Sub(high, c), hn::Add(high, c), ratio));
  return hn::Div(hn::Mul(e1, e2), c);
}

/// Computes erf of |x| in f64 with the four rational approximations of fdlibm.
template <class D, class V = hn::Vec<D>> HWY_INLINE V erf_f64(D d, V x) {
  const V one = hn::Set(d, 1.0), t = hn::Abs(x);
  const V z = hn::Mul(x, x);
  const V pp =
      horner(d, z, hn::Set(d, -2.37630166566501626084e-05), -5.77027029648944159157e-03,
             -2.84817495755985104766e-02, -3.25042107247001499370e-01, 1.28379167095512558561e-01);
  const V qq = horner(d, z, hn::Set(d, -3.96022827877536812320e-06), 1.32494738004321644526e-04,
                      5.08130628187576562776e-03, 6.50222499887672944485e-02,
                      3.97917223959155352819e-01, 1.0);
  const V near = hn::MulAdd(t, hn::Div(pp, qq), t);

  const V w = hn::Sub(t, one);
  const V pa =
      horner(d, w, hn::Set(d, -2.16637559486879084300e-03), 3.54783043256182359371e-02,
             -1.10894694282396677476e-01, 3.18346619901161753674e-01, -3.72207876035701323847e-01,
             4.14856118683748331666e-01, -2.36211856075265944077e-03);
  const V qa = horner(d, w, hn::Set(d, 1.19844998467991074170e-02), 1.36370839120290507362e-02,
                      1.26171219808761642112e-01, 7.18286544141962662868e-02,
                      5.40397917702171048937e-01, 1.06420880400844228286e-01, 1.0);
  const V middle = hn::Add(hn::Set(d, 8.45062911510467529297e-01), hn::Div(pa, qa));

  const V tail = hn::Sub(one, erfc_tail_f64(d, hn::Min(hn::Max(t, one), hn::Set(d, 6.0))));
  const V upper = hn::IfThenElse(hn::Ge(t, hn::Set(d, 6.0)), one, tail);
  const V beyond = hn::IfThenElse(hn::Lt(t, hn::Set(d, 1.25)), middle, upper);
  return hn::IfThenElse(hn::Lt(t, hn::Set(d, 0.84375)), near, beyond);
}

/// Computes erf(x) to 2 ulp.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_erf(D d, V x) {
  V y;
  if constexpr (sizeof(hn::TFromD<D>) == 4)
    y = erf_f32(d, x);
  else
    y = erf_f64(d, x);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(y, x));
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
