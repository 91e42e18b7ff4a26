#include "ops/pointwise/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/unary.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/sin-inl.h"
#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <> inline constexpr bool kKeepsNumbers<Abs> = true;
template <> inline constexpr bool kKeepsNumbers<Neg> = true;
template <> inline constexpr bool kKeepsNumbers<Relu> = true;

TAPER_UNARY_LOOP(Abs, cheap, hn::Abs(x))
TAPER_UNARY_LOOP(Ceil, cheap, hn::Ceil(x))
TAPER_UNARY_LOOP(Erf, costly, math::vec_erf(d, x))
TAPER_UNARY_LOOP(Exp, costly, math::vec_exp(d, x))
TAPER_UNARY_LOOP(Expm1, costly, math::vec_expm1(d, x))
TAPER_UNARY_LOOP(Floor, cheap, hn::Floor(x))
// NaN propagates through the factor x.
TAPER_UNARY_LOOP(Hardswish, cheap,
                 hn::Mul(hn::Mul(x,
                                 hn::Min(hn::Max(hn::Add(x, set(d, 3)), hn::Zero(d)), set(d, 6))),
                         set(d, 1.0 / 6)))
TAPER_PREDICATE_LOOP(IsFinite)
TAPER_PREDICATE_LOOP(IsInf)
TAPER_PREDICATE_LOOP(IsNan)
TAPER_UNARY_LOOP(Log, costly, math::vec_log(d, x))
TAPER_UNARY_LOOP(Log1p, costly, math::vec_log1p(d, x))
TAPER_PREDICATE_LOOP(LogicalNot)
TAPER_UNARY_LOOP(Neg, cheap, hn::Neg(x))
TAPER_UNARY_LOOP(Reciprocal, cheap, hn::Div(set(d, 1), x))
// Unlike Max, this propagates NaN.
TAPER_UNARY_LOOP(Relu, cheap, hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x))
TAPER_UNARY_LOOP(Round, cheap, hn::Round(x))
TAPER_UNARY_LOOP(Rsqrt, cheap, hn::Div(set(d, 1), hn::Sqrt(x)))
TAPER_UNARY_LOOP(Sigmoid, costly, math::vec_sigmoid(d, x))
TAPER_UNARY_LOOP(Sign, cheap, sign_of(d, x))
#if TAPER_SIMD_SIN
TAPER_FLOAT_LOOP(Cos, costly, math::vec_cos(d, x), std::cos(x))
TAPER_FLOAT_LOOP(Sin, costly, math::vec_sin(d, x), std::sin(x))
TAPER_FLOAT_LOOP(Tan, costly, math::vec_tan(d, x), std::tan(x))
#else
TAPER_SCALAR_LOOP(Cos, costly, std::cos(x))
TAPER_SCALAR_LOOP(Sin, costly, std::sin(x))
TAPER_SCALAR_LOOP(Tan, costly, static_cast<T>(std::tan(static_cast<double>(x))))
#endif
TAPER_UNARY_LOOP(Sqrt, cheap, hn::Sqrt(x))
TAPER_UNARY_LOOP(Tanh, costly, math::vec_tanh(d, x))
TAPER_UNARY_LOOP(Trunc, cheap, hn::Trunc(x))

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
