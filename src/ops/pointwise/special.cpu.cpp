// Kernels of Bessel functions and of the normal distribution.
#include "ops/pointwise/special.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/special.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/bessel-inl.h"
#include "cpu/simd/normal-inl.h"
#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
/// Computes F, which is defined up to 25, and O::value of the lanes beyond it.
template <class O, class F, class D, class V> HWY_INLINE V oscillating(D d, V x) {
  const V y = math::in_double<F>(d, x);
  if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, 25.0f))))) return y;
  HWY_ALIGN float lanes[hn::MaxLanes(D())], results[hn::MaxLanes(D())];
  hn::Store(x, d, lanes);
  hn::Store(y, d, results);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::abs(lanes[i]) <= 25)) results[i] = O::value(lanes[i]);
  return hn::Load(d, results);
}

#define TAPER_SPECIAL_LOOP(O, ...) \
  TAPER_FLOAT_LOOP(O, costly, (math::in_double<math::__VA_ARGS__>(d, x)), T(O::value(x)))
#define TAPER_OSCILLATING_LOOP(O, F) \
  TAPER_FLOAT_LOOP(O, costly, (oscillating<O, math::F>(d, x)), T(O::value(x)))
#else
#define TAPER_SPECIAL_LOOP(O, ...) TAPER_SCALAR_LOOP(O, costly, T(O::value(x)))
#define TAPER_OSCILLATING_LOOP(O, F) TAPER_SCALAR_LOOP(O, costly, T(O::value(x)))
#endif

TAPER_SPECIAL_LOOP(I0, BesselIOfDouble<0>)
TAPER_SPECIAL_LOOP(I1, BesselIOfDouble<1>)
TAPER_SPECIAL_LOOP(I0e, ScaledBesselIOfDouble<0>)
TAPER_SPECIAL_LOOP(I1e, ScaledBesselIOfDouble<1>)
TAPER_SPECIAL_LOOP(ModifiedBesselI0, BesselIOfDouble<0>)
TAPER_SPECIAL_LOOP(ModifiedBesselI1, BesselIOfDouble<1>)
TAPER_SPECIAL_LOOP(ModifiedBesselK0, BesselKOfDouble<0, false>)
TAPER_SPECIAL_LOOP(ModifiedBesselK1, BesselKOfDouble<1, false>)
TAPER_SPECIAL_LOOP(ScaledModifiedBesselK0, BesselKOfDouble<0, true>)
TAPER_SPECIAL_LOOP(ScaledModifiedBesselK1, BesselKOfDouble<1, true>)
TAPER_OSCILLATING_LOOP(BesselJ0, BesselJ0OfDouble)
TAPER_OSCILLATING_LOOP(BesselJ1, BesselJ1OfDouble)
TAPER_OSCILLATING_LOOP(BesselY0, BesselY0OfDouble)
TAPER_OSCILLATING_LOOP(BesselY1, BesselY1OfDouble)

TAPER_SPECIAL_LOOP(Erfcx, ErfcxOfDouble)
TAPER_SPECIAL_LOOP(Ndtr, NdtrOfDouble)
TAPER_SPECIAL_LOOP(LogNdtr, LogNdtrOfDouble)

#undef TAPER_SPECIAL_LOOP
#undef TAPER_OSCILLATING_LOOP

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
