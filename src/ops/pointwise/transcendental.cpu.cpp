#include "ops/pointwise/elementary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/transcendental.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

#include "cpu/simd/elementary-inl.h"
#include "ops/pointwise/row_loops-inl.h"

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

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
