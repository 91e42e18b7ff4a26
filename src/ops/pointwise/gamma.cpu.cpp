#include "ops/pointwise/elementary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/gamma.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/gamma-inl.h"
#include "ops/pointwise/row_loops-inl.h"
#include "ops/pointwise/special_math.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
TAPER_FLOAT_LOOP(Digamma, costly, math::in_double<math::DigammaOfDouble>(d, x),
                 T(special_math::digamma(x)))
TAPER_FLOAT_LOOP(Lgamma, costly, math::in_double<math::LgammaOfDouble>(d, x),
                 T(special_math::lgamma(x)))
TAPER_FLOAT_LOOP(Erfinv, costly, math::in_double<math::ErfinvOfDouble>(d, x),
                 T(special_math::erfinv(x)))
#else
TAPER_SCALAR_LOOP(Digamma, costly, T(special_math::digamma(x)))
TAPER_SCALAR_LOOP(Lgamma, costly, T(special_math::lgamma(x)))
TAPER_SCALAR_LOOP(Erfinv, costly, T(special_math::erfinv(x)))
#endif

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
