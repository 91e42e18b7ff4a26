#include "ops/pointwise/elementary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/inverse.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/inverse-inl.h"
#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
TAPER_FLOAT_LOOP(Acosh, costly, math::in_double<math::AcoshOfDouble>(d, x), std::acosh(x))
TAPER_FLOAT_LOOP(Asinh, costly, math::in_double<math::AsinhOfDouble>(d, x), std::asinh(x))
TAPER_FLOAT_LOOP(Atanh, costly, math::in_double<math::AtanhOfDouble>(d, x), std::atanh(x))
TAPER_FLOAT_BINARY_LOOP(Atan2, costly, (math::in_double<math::Atan2OfDouble>(d, a, b)))
TAPER_FLOAT_BINARY_LOOP(Hypot, costly, (math::in_double<math::HypotOfDouble>(d, a, b)))
TAPER_UNARY_LOOP(Erfc, costly, math::vec_erfc(d, x))
#else
TAPER_SCALAR_LOOP(Acosh, costly, std::acosh(x))
TAPER_SCALAR_LOOP(Asinh, costly, std::asinh(x))
TAPER_SCALAR_LOOP(Atanh, costly, std::atanh(x))
TAPER_SCALAR_BINARY_LOOP(Atan2, costly)
TAPER_SCALAR_BINARY_LOOP(Hypot, costly)
// In double, since erfc of float is off by more than 2 ulp in the C library.
TAPER_SCALAR_LOOP(Erfc, costly, static_cast<T>(std::erfc(static_cast<double>(x))))
#endif
TAPER_BINARY_LOOP(Logaddexp, costly, math::vec_logaddexp(d, a, b))
TAPER_BINARY_LOOP(Logaddexp2, costly, math::vec_logaddexp2(d, a, b))
TAPER_BINARY_LOOP(Xlogy, costly, math::vec_xlogy(d, a, b))

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
