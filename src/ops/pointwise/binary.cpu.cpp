#include "ops/pointwise/binary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/binary.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "ops/pointwise/min_max-inl.h"
#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <> inline constexpr bool kKeepsNumbers<Maximum> = true;
template <> inline constexpr bool kKeepsNumbers<Minimum> = true;
template <> inline constexpr bool kCommutes<Mul> = true;

TAPER_PREDICATE_LOOP(Eq)
TAPER_PREDICATE_LOOP(Ge)
TAPER_PREDICATE_LOOP(Gt)
TAPER_PREDICATE_LOOP(Le)
TAPER_PREDICATE_LOOP(Lt)
TAPER_PREDICATE_LOOP(Ne)
TAPER_PREDICATE_LOOP(LogicalAnd)
TAPER_PREDICATE_LOOP(LogicalOr)
TAPER_PREDICATE_LOOP(LogicalXor)
TAPER_BINARY_LOOP(Div, cheap, hn::Div(a, b))
TAPER_BINARY_LOOP(Mul, cheap, hn::Mul(a, b))
TAPER_BINARY_LOOP(ClampMaxTensor, cheap, nan_min(a, b))
TAPER_BINARY_LOOP(ClampMinTensor, cheap, nan_max(a, b))
TAPER_BINARY_LOOP(Maximum, cheap, nan_max(a, b))
TAPER_BINARY_LOOP(Minimum, cheap, nan_min(a, b))
TAPER_BINARY_LOOP(SigmoidBackward, cheap, hn::Mul(hn::Mul(a, b), hn::Sub(set(d, 1), b)))
TAPER_BINARY_LOOP(TanhBackward, cheap, hn::Mul(a, hn::NegMulAdd(b, b, set(d, 1))))
TAPER_BINARY_LOOP(
    HardswishBackward, cheap,
    hn::IfThenZeroElse(hn::Le(b, set(d, -3)),
                       hn::IfThenElse(hn::Lt(b, set(d, 3)),
                                      hn::Mul(a, hn::MulAdd(b, set(d, 1.0 / 3), set(d, 0.5))), a)))

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
