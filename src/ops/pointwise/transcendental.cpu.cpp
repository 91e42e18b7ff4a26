#include "ops/pointwise/elementary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/transcendental.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

#include "cpu/simd/elementary-inl.h"
#include "cpu/simd/gamma-inl.h"
#include "cpu/simd/inverse-inl.h"
#include "ops/pointwise/row_loops-inl.h"
#include "ops/pointwise/special_math.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

TAPER_UNARY_LOOP(Acos, costly, hn::Acos(d, x))
TAPER_UNARY_LOOP(Asin, costly, hn::Asin(d, x))
TAPER_UNARY_LOOP(Atan, costly, hn::Atan(d, x))
TAPER_UNARY_LOOP(Cosh, costly, math::vec_cosh(d, x))
TAPER_UNARY_LOOP(Sinh, costly, math::vec_sinh(d, x))
TAPER_UNARY_LOOP(Exp2, costly, math::vec_exp2(d, x))
TAPER_UNARY_LOOP(Log2, costly, math::vec_log2(d, x))
TAPER_UNARY_LOOP(Log10, costly, hn::Mul(math::vec_log(d, x), set(d, 0.4342944819032518)))
#if HWY_TARGET != HWY_SCALAR
TAPER_FLOAT_LOOP(Acosh, costly, math::in_double<math::AcoshOfDouble>(d, x), std::acosh(x))
TAPER_FLOAT_LOOP(Asinh, costly, math::in_double<math::AsinhOfDouble>(d, x), std::asinh(x))
TAPER_FLOAT_LOOP(Atanh, costly, math::in_double<math::AtanhOfDouble>(d, x), std::atanh(x))
TAPER_FLOAT_BINARY_LOOP(Atan2, costly, (math::in_double<math::Atan2OfDouble>(d, a, b)))
TAPER_FLOAT_BINARY_LOOP(Hypot, costly, (math::in_double<math::HypotOfDouble>(d, a, b)))
TAPER_UNARY_LOOP(Erfc, costly, math::vec_erfc(d, x))
TAPER_FLOAT_LOOP(Digamma, costly, math::in_double<math::DigammaOfDouble>(d, x),
                 T(special_math::digamma(x)))
TAPER_FLOAT_LOOP(Lgamma, costly, math::in_double<math::LgammaOfDouble>(d, x),
                 T(special_math::lgamma(x)))
TAPER_FLOAT_LOOP(Erfinv, costly, math::vec_erfinv(d, x), T(special_math::erfinv(x)))
#else
TAPER_SCALAR_LOOP(Acosh, costly, std::acosh(x))
TAPER_SCALAR_LOOP(Asinh, costly, std::asinh(x))
TAPER_SCALAR_LOOP(Atanh, costly, std::atanh(x))
TAPER_SCALAR_BINARY_LOOP(Atan2, costly)
TAPER_SCALAR_BINARY_LOOP(Hypot, costly)
// In double, since erfc of float is off by more than 2 ulp in the C library.
TAPER_SCALAR_LOOP(Erfc, costly, static_cast<T>(std::erfc(static_cast<double>(x))))
TAPER_SCALAR_LOOP(Digamma, costly, T(special_math::digamma(x)))
TAPER_SCALAR_LOOP(Lgamma, costly, T(special_math::lgamma(x)))
TAPER_SCALAR_LOOP(Erfinv, costly, T(special_math::erfinv(x)))
#endif
TAPER_BINARY_LOOP(Logaddexp, costly, math::vec_logaddexp(d, a, b))
TAPER_BINARY_LOOP(Logaddexp2, costly, math::vec_logaddexp2(d, a, b))
TAPER_BINARY_LOOP(Xlogy, costly, math::vec_xlogy(d, a, b))

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
